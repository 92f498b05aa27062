// SPDX-License-Identifier: Apache-2.0
// Priority with deadlines: lower priority numbers first, then the earlier deadline, then arrival.
// Both queues keep this order, so that the request preempted first is the least urgent one, and it
// is never one that already has its place in the step.
#include <algorithm>
#include <tuple>

#include "workloads/serving/scheduler_kinds.hpp"
#include "workloads/serving/scheduler_steps.hpp"

namespace ridgepoint::workloads {
namespace {

bool more_urgent(const Request* left, const Request* right) {
  return std::tuple(left->priority, left->deadline, left->id) <
         std::tuple(right->priority, right->deadline, right->id);
}

class DeadlineScheduler final : public Scheduler {
 public:
  DeadlineScheduler() : base_(v1_scheduler().make()) {}

  void enqueue(SchedulerState& state, Request* request) override {
    const auto place =
        std::upper_bound(state.waiting.begin(), state.waiting.end(), request, &more_urgent);
    state.waiting.insert(place, request);
  }

  void plan_step(SchedulerState& state, StepPlan& plan) override {
    std::stable_sort(state.running.begin(), state.running.end(), &more_urgent);
    base_->plan_step(state, plan);
    if (!plan.preempted.empty()) {
      std::stable_sort(state.waiting.begin(), state.waiting.end(), &more_urgent);
    }
  }

 private:
  std::unique_ptr<Scheduler> base_;
};

}  // namespace

SchedulerKind deadline_scheduler() {
  return {"deadline", "by priority, then earliest deadline",
          []() -> std::unique_ptr<Scheduler> { return std::make_unique<DeadlineScheduler>(); }};
}

}  // namespace ridgepoint::workloads
