// SPDX-License-Identifier: Apache-2.0
// Static batching: a batch is let in when nothing is running, and the next one only when every
// request of it has finished. A request that was preempted comes back within its batch.
#include "workloads/serving/scheduler_kinds.hpp"
#include "workloads/serving/scheduler_steps.hpp"

namespace ridgepoint::workloads {
namespace {

class StaticScheduler final : public Scheduler {
 public:
  void plan_step(SchedulerState& state, StepPlan& plan) override {
    // The batch fills over several steps while its first members have produced nothing yet.
    bool filling = true;
    for (const Request* request : state.running) filling = filling && request->outputs == 0;
    for (std::size_t at = 0; at < state.running.size() && plan.budget > 0; ++at) {
      if (!run_or_preempt(state, plan, at)) break;
    }
    if (!plan.preempted.empty()) {
      plan.wait_reason = WaitReason::kPreemption;
      return;
    }
    while (!state.waiting.empty()) {
      const bool belongs = filling || state.waiting.front()->preemptions > 0;
      if (!belongs || !admit_head(state, plan)) return;
    }
  }
};

}  // namespace

SchedulerKind static_scheduler() {
  return {"static", "a new batch only when the last one has finished",
          []() -> std::unique_ptr<Scheduler> { return std::make_unique<StaticScheduler>(); }};
}

}  // namespace ridgepoint::workloads
