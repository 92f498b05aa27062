// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/runner.hpp"

namespace ridgepoint::workloads {

StepReport StepRunner::run(const std::vector<isa::Kernel>& kernels, bool values) {
  StepReport report;
  std::map<std::string, std::size_t> index;
  for (const isa::Kernel& kernel : kernels) {
    const bool may_reuse = reuse_ && !values && !kernel.key.empty();
    const auto known = may_reuse ? known_.find(kernel.key) : known_.end();
    soc::Activity activity;
    if (known != known_.end()) {
      activity = known->second;
      ++report.reused_launches;
    } else {
      activity = machine_.run(kernel, values);
      ++report.simulated_launches;
      if (may_reuse) known_.emplace(kernel.key, activity);
    }
    const auto [entry, is_new] = index.emplace(kernel.name, report.kernels.size());
    if (is_new) report.kernels.push_back({kernel.name, kernel.family, 0, 0, 0, {}});
    KernelReport& row = report.kernels[entry->second];
    ++row.launches;
    row.flops += kernel.flops;
    row.model_bytes += kernel.model_bytes;
    row.activity += activity;
    report.total += activity;
    report.flops += kernel.flops;
  }
  return report;
}

}  // namespace ridgepoint::workloads
