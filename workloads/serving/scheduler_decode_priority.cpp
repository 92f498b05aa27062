// SPDX-License-Identifier: Apache-2.0
// Decode first: requests that produce a token in this step come before those still catching up, so
// that long prompts never delay a running answer; what is left of the budget goes to prefill, in
// order of admission, then to the head of waiting.
#include <algorithm>

#include "workloads/serving/scheduler_kinds.hpp"
#include "workloads/serving/scheduler_steps.hpp"

namespace ridgepoint::workloads {
namespace {

class DecodePriorityScheduler final : public Scheduler {
 public:
  void plan_step(SchedulerState& state, StepPlan& plan) override {
    // Decoding requests move in front, each group in its own order; the youngest prefill is then
    // the first to be preempted.
    std::stable_partition(state.running.begin(), state.running.end(), [](const Request* request) {
      return request->known() - request->computed == 1;
    });
    for (std::size_t at = 0; at < state.running.size() && plan.budget > 0; ++at) {
      if (!run_or_preempt(state, plan, at)) break;
    }
    if (!plan.preempted.empty()) {
      plan.wait_reason = WaitReason::kPreemption;
      return;
    }
    admit_waiting(state, plan);
  }
};

}  // namespace

SchedulerKind decode_priority_scheduler() {
  return {
      "decode-priority", "decoding requests first, prefill with what is left of the budget",
      []() -> std::unique_ptr<Scheduler> { return std::make_unique<DecodePriorityScheduler>(); }};
}

}  // namespace ridgepoint::workloads
