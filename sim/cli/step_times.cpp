// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/step_times.hpp"

#include <fstream>
#include <iterator>

#include "sim/cli/model_options.hpp"
#include "sim/config/build_info.hpp"
#include "sim/config/option_table.hpp"
#include "sim/config/sha256.hpp"
#include "sim/core/dtype.hpp"

namespace ridgepoint::cli {
namespace {

// The program itself: another build may simulate another machine. Where it cannot be read, its
// version must do.
std::string program_identity() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!bytes.empty()) return config::sha256_hex(bytes);
  const config::BuildInfo& build = config::build_info();
  return std::string(build.version) + ' ' + std::string(build.git_commit) + ' ' +
         std::string(build.compiler) + ' ' + std::string(build.flags);
}

// Everything a kernel's time depends on beside its own key.
std::string context_of(const config::Options& options, const workloads::ModelShape& shape,
                       const workloads::MachineStepSpec& spec) {
  std::string text = program_identity() + "\nmodel " + shape.name;
  for (const config::OptionGroup& group : config::option_groups()) {
    for (const config::OptionRow& row : group.rows) {
      if (!group.machine || !row.identity) continue;
      text += '\n' + std::string(row.key) + '=' + options.text(row.key);
    }
  }
  for (const core::DType dtype :
       {spec.formats.weights, spec.formats.kv, spec.formats.activations}) {
    text += '\n' + std::string(core::name_of(dtype));
  }
  for (const std::int64_t number :
       {std::min<std::int64_t>(spec.kv_blocks, 4096), spec.block_tokens, spec.max_batch_tokens,
        spec.max_num_seqs, spec.attention_splits, static_cast<std::int64_t>(spec.memory_bytes),
        static_cast<std::int64_t>(spec.seed)}) {
    text += '\n' + std::to_string(number);
  }
  return text;
}

}  // namespace

StepTimes::StepTimes(const config::Options& options, soc::Machine& machine,
                     const workloads::ModelShape& shape, const ServeSetting& setting) {
  workloads::MachineStepSpec spec = step_spec_of(options, setting);
  if (options.enabled("serve.exact")) {
    exact_ = std::make_unique<workloads::ExactStepTime>(machine, shape, spec);
    return;
  }
  // The pool of the run does not matter to kernel times, so that all runs share them.
  spec.kv_blocks = std::max(setting.real.kv_blocks, setting.kv_blocks);
  spec.workers = step_workers_of(options);
  if (options.has("serve.step_cache")) {
    cache_.emplace(options.text("serve.step_cache"), context_of(options, shape, spec));
  }
  kernels_ = std::make_unique<workloads::MachineKernelTimes>(machine, shape, spec,
                                                             cache_ ? &*cache_ : nullptr);
  grid_ = std::make_unique<workloads::GridStepTime>(
      *kernels_,
      workloads::GridOptions{.tolerance = options.real("serve.grid_tolerance"), .attention = {}});
}

workloads::StepTimeModel& StepTimes::model() {
  if (exact_) return *exact_;
  return *grid_;
}

workloads::GridStepTime::Error StepTimes::measure_error(const config::Options& options) {
  if (!grid_) return {};
  return grid_->measure_error(options.integer("serve.grid_checks"),
                              static_cast<std::uint64_t>(options.integer("general.seed")));
}

std::string StepTimes::cache_text() const {
  if (!cache_) return {};
  std::string text = "kernel times: " + std::to_string(cache_->found()) + " from the file, " +
                     std::to_string(kernels_->simulated()) + " simulated";
  if (cache_->damaged() > 0) {
    text += "; " + std::to_string(cache_->damaged()) + " damaged lines of the file left out";
  }
  return text;
}

}  // namespace ridgepoint::cli
