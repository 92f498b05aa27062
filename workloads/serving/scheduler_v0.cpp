// SPDX-License-Identifier: Apache-2.0
// Prefill first (older engines): a step either lets waiting requests in and computes their whole
// prompts, or decodes one token for every running request. With chunked prefill it is one budget
// with running requests first, as those engines did too.
#include "workloads/serving/scheduler_kinds.hpp"
#include "workloads/serving/scheduler_steps.hpp"

namespace ridgepoint::workloads {
namespace {

class V0Scheduler final : public Scheduler {
 public:
  void plan_step(SchedulerState& state, StepPlan& plan) override {
    if (!state.limits.chunked_prefill) {
      admit_waiting(state, plan);
      if (!plan.sequences.empty()) return;
    }
    for (std::size_t at = 0; at < state.running.size() && plan.budget > 0; ++at) {
      if (!run_or_preempt(state, plan, at)) break;
    }
    if (!plan.preempted.empty()) {
      plan.wait_reason = WaitReason::kPreemption;
    } else if (state.limits.chunked_prefill) {
      admit_waiting(state, plan);
    }
  }
};

}  // namespace

SchedulerKind v0_scheduler() {
  return {"v0", "prefill steps first, decode steps otherwise",
          []() -> std::unique_ptr<Scheduler> { return std::make_unique<V0Scheduler>(); }};
}

}  // namespace ridgepoint::workloads
