// SPDX-License-Identifier: Apache-2.0
// Continuous batching with one token budget per step (the default of current engines). There is no
// prefill or decode phase: every request catches up with its known tokens. Running requests first,
// oldest first, preempting the youngest when blocks run out; then the head of waiting, only if
// nothing was preempted in this step.
#include "workloads/serving/scheduler_kinds.hpp"
#include "workloads/serving/scheduler_steps.hpp"

namespace ridgepoint::workloads {
namespace {

class V1Scheduler final : public Scheduler {
 public:
  void plan_step(SchedulerState& state, StepPlan& plan) override {
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

SchedulerKind v1_scheduler() {
  return {"v1", "one token budget, running first, then waiting",
          []() -> std::unique_ptr<Scheduler> { return std::make_unique<V1Scheduler>(); }};
}

}  // namespace ridgepoint::workloads
