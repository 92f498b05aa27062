// SPDX-License-Identifier: Apache-2.0
// Shortest job first: the queue is ordered by the prompt and output tokens a request still needs
// (the output length is an oracle's knowledge), ties by arrival. Steps are planned as in v1.
#include <algorithm>

#include "workloads/serving/scheduler_kinds.hpp"
#include "workloads/serving/scheduler_steps.hpp"

namespace ridgepoint::workloads {
namespace {

std::int64_t work_of(const Request* request) {
  return request->prompt_tokens + request->output_tokens;
}

class ShortestJobScheduler final : public Scheduler {
 public:
  ShortestJobScheduler() : base_(v1_scheduler().make()) {}

  void enqueue(SchedulerState& state, Request* request) override {
    // Preempted requests stay at the front: they hold results that would be lost for longer.
    const auto fresh = std::find_if(state.waiting.begin(), state.waiting.end(),
                                    [](const Request* other) { return other->preemptions == 0; });
    const auto place = std::upper_bound(
        fresh, state.waiting.end(), request,
        [](const Request* left, const Request* right) { return work_of(left) < work_of(right); });
    state.waiting.insert(place, request);
  }

  void plan_step(SchedulerState& state, StepPlan& plan) override { base_->plan_step(state, plan); }

 private:
  std::unique_ptr<Scheduler> base_;
};

}  // namespace

SchedulerKind shortest_job_scheduler() {
  return {"shortest-job", "the waiting request with the fewest tokens first",
          []() -> std::unique_ptr<Scheduler> { return std::make_unique<ShortestJobScheduler>(); }};
}

}  // namespace ridgepoint::workloads
