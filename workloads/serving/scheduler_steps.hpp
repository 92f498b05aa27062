// SPDX-License-Identifier: Apache-2.0
// The moves schedulers are made of.
#pragma once

#include "workloads/serving/scheduler.hpp"

namespace ridgepoint::workloads {

// Tokens of a request that are known but not computed, cut to the per-request limit, the budget
// left and the model's length.
std::int64_t tokens_to_run(const Request& request, const SchedulerState& state,
                           std::int64_t budget);

// Puts `request` (in running) into the plan with `tokens` tokens; its blocks are already there.
void schedule(StepPlan& plan, Request* request, std::int64_t tokens);

// Takes request out of the pool and puts it at the front of waiting; it is no longer in running.
void preempt(SchedulerState& state, StepPlan& plan, Request* request);

// Gives running[at] its next tokens, preempting from the end of running until they fit. False if it
// had to preempt itself: nothing behind it is left.
bool run_or_preempt(SchedulerState& state, StepPlan& plan, std::size_t at);

// Tries to let waiting.front() in; on success it is the last of running and in the plan. On failure
// sets plan.wait_reason.
bool admit_head(SchedulerState& state, StepPlan& plan);

// Lets in requests from the head of waiting until one cannot be.
void admit_waiting(SchedulerState& state, StepPlan& plan);

}  // namespace ridgepoint::workloads
