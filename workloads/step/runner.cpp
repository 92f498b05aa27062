// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/runner.hpp"

#include <algorithm>

#include "sim/soc/machine_copies.hpp"

namespace ridgepoint::workloads {
namespace {

// Equal kernels whose tensors lie elsewhere differ by a few DRAM accesses: nothing in a long
// kernel, per cents in a short one, of which therefore more are simulated.
constexpr double kSampledNs = 80'000;
constexpr std::size_t kMostSamples = 8;

}  // namespace

std::size_t launches_sampled(double ns) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(kSampledNs / std::max(ns, 1.0)), 1,
                                 kMostSamples);
}

void require_room(const soc::Machine& machine, const Placement& placement,
                  const StepOptions& options) {
  const PlacementSpec& spec = placement.spec();
  std::vector<isa::Kernel> kernels;
  const auto add_step = [&](std::int64_t new_tokens, std::int64_t context) {
    if (new_tokens > spec.max_tokens || context > placement.shape().max_context) return;
    BatchSequence one;
    one.new_tokens = new_tokens;
    one.context = context;
    one.blocks.assign(static_cast<std::size_t>(context / spec.block_tokens + 1), 0);
    const auto step = build_step(machine.config().accel.shape(), placement, {one}, options);
    kernels.insert(kernels.end(), step.begin(), step.end());
  };
  add_step(1, 1);
  add_step(2, 2);
  if (placement.shape().mla) add_step(2, spec.expand_rows + 2);  // in the latent space
  machine.require_room(kernels);
}

std::size_t StepRunner::samples_wanted(const soc::Activity& activity) const {
  const auto cycles = static_cast<double>(activity.cycles - activity.launch_cycles);
  return launches_sampled(cycles * machine_.clock().period_ns());
}

// Whether the launch is to be simulated, as far as is known before its step.
bool StepRunner::is_due(const Launch& launch) const {
  const auto& [key, index] = launch;
  if (key.empty() || ahead_.contains(launch)) return false;
  if (!reuse_) return true;
  if (known_.contains(key) || index >= kMostSamples) return false;
  const auto first = ahead_.find({key, 0});
  return index == 0 || (first != ahead_.end() && index < samples_wanted(first->second));
}

// How many launches stand for a kernel is known from the first, so there are two turns.
void StepRunner::prepare(std::span<const std::vector<isa::Kernel>> steps) {
  for (int turn = 0; turn < (reuse_ ? 2 : 1) && workers_ > 1; ++turn) {
    std::map<Launch, const isa::Kernel*> due;
    for (const auto& kernels : steps) {
      std::map<std::string, std::size_t> launches;
      for (const isa::Kernel& kernel : kernels) {
        const Launch launch{kernel.key, launches[kernel.key]++};
        if (is_due(launch)) due.emplace(launch, &kernel);
      }
    }
    std::vector<const isa::Kernel*> kernels;
    double bytes = 0;
    for (const auto& [launch, kernel] : due) {
      kernels.push_back(kernel);
      bytes += soc::simulated_bytes(*kernel);
    }
    if (bytes < soc::kWorthACopy) return;
    auto activities = soc::run_on_copies(machine_, kernels, workers_);
    for (auto activity = activities.begin(); const auto& [launch, kernel] : due) {
      if (activity->has_value()) ahead_.emplace(launch, std::move(**activity));
      ++activity;
    }
  }
}

const soc::Activity& StepRunner::launch(const isa::Kernel& kernel, bool values,
                                        std::map<std::string, std::size_t>& launches,
                                        StepReport& report) {
  const std::size_t index = launches[kernel.key]++;
  const auto simulate = [&] {
    ++report.simulated_launches;
    if (auto found = ahead_.extract({kernel.key, index})) return std::move(found.mapped());
    machine_.reset_memory();
    return machine_.run(kernel, values);
  };
  if (!reuse_ || values || kernel.key.empty()) {
    latest_ = simulate();
    return latest_;
  }
  Known& known = known_[kernel.key];
  // Only the step that meets a kernel first samples it: later ones must not depend on how many
  // steps there were.
  const bool first_step = known.samples.empty() || known.step == step_;
  if (first_step && index < kMostSamples &&
      (known.samples.empty() || known.samples.size() < samples_wanted(known.samples.front()))) {
    known.step = step_;
    known.samples.push_back(simulate());
    return known.samples.back();
  }
  ++report.reused_launches;
  return known.samples[index % known.samples.size()];
}

StepReport StepRunner::run(const std::vector<isa::Kernel>& kernels, bool values) {
  machine_.require_room(kernels);
  StepReport report;
  std::map<std::string, std::size_t> index, launches;
  ++step_;
  if (!values) prepare({&kernels, 1});
  for (const isa::Kernel& kernel : kernels) {
    const soc::Activity& activity = launch(kernel, values, launches, report);
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
