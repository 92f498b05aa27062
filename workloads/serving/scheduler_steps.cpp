// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/scheduler_steps.hpp"

#include <algorithm>

namespace ridgepoint::workloads {
namespace {

// What must be free for this request to be let in (facts: reserve full input is the default).
Admission admission_rule(const SchedulerState& state, const Request& request) {
  Admission rule;
  rule.spare_blocks = state.limits.watermark_blocks;
  if (state.limits.admission == AdmissionPolicy::kFirstChunk) return rule;
  rule.reserve_tokens = std::max(request.known(), request.swapped);
  if (state.limits.admission == AdmissionPolicy::kFullLength) {
    rule.reserve_tokens = request.final_slots();
    for (const Request* other : state.running) {
      rule.spare_blocks += state.kv->promised_blocks(*other);
    }
  }
  return rule;
}

}  // namespace

void StepPlan::clear(std::int64_t tokens) {
  sequences.clear();
  admitted.clear();
  preempted.clear();
  swapped_out_tokens = 0;
  swapped_in_tokens = 0;
  wait_reason = WaitReason::kBatch;
  budget = tokens;
}

std::int64_t tokens_to_run(const Request& request, const SchedulerState& state,
                           std::int64_t budget) {
  const SchedulerLimits& limits = state.limits;
  std::int64_t tokens = request.known() - request.computed;
  if (limits.long_prefill_threshold > 0) tokens = std::min(tokens, limits.long_prefill_threshold);
  tokens = std::min(tokens, budget);
  return std::min(tokens, limits.max_model_len - 1 - request.computed);
}

void schedule(StepPlan& plan, Request* request, std::int64_t tokens) {
  plan.sequences.push_back({request, tokens});
  plan.budget -= tokens;
}

void preempt(SchedulerState& state, StepPlan& plan, Request* request) {
  state.kv->release(*request);
  if (state.limits.preemption == Preemption::kSwap) {
    request->swapped = request->computed;
    plan.swapped_out_tokens += request->computed;
  }
  request->computed = 0;
  ++request->preemptions;
  state.waiting.push_front(request);
  plan.preempted.push_back(request);
}

bool run_or_preempt(SchedulerState& state, StepPlan& plan, std::size_t at) {
  Request* request = state.running[at];
  const std::int64_t tokens = tokens_to_run(*request, state, plan.budget);
  if (tokens == 0) return true;
  while (!state.kv->extend(*request, tokens)) {
    Request* last = state.running.back();
    state.running.pop_back();
    preempt(state, plan, last);
    if (last == request) return false;
  }
  schedule(plan, request, tokens);
  return true;
}

bool admit_head(SchedulerState& state, StepPlan& plan) {
  const SchedulerLimits& limits = state.limits;
  Request* request = state.waiting.front();
  if (static_cast<std::int64_t>(state.running.size()) >= limits.max_num_seqs) {
    plan.wait_reason = WaitReason::kMaxSequences;
    return false;
  }
  const std::int64_t hit = request->swapped > 0 ? 0 : state.kv->find_prefix(*request);
  const std::int64_t present = request->swapped > 0 ? request->swapped : hit;
  std::int64_t tokens = request->known() - present;
  if (limits.long_prefill_threshold > 0) tokens = std::min(tokens, limits.long_prefill_threshold);
  if (plan.budget <= 0 || (!limits.chunked_prefill && tokens > plan.budget)) {
    plan.wait_reason = WaitReason::kTokenBudget;
    return false;
  }
  tokens = std::min(tokens, plan.budget);
  if (!state.kv->admit(*request, hit, present - hit + tokens, admission_rule(state, *request))) {
    plan.wait_reason = WaitReason::kKvBlocks;
    return false;
  }
  const std::int64_t own = std::min(hit, request->most_computed);
  request->resident_tokens += own;
  request->prefix_hit_tokens += hit - own;
  plan.swapped_in_tokens += request->swapped;
  if (request->swapped > 0) state.kv->commit(*request, request->swapped);
  request->computed = present;
  request->swapped = 0;
  state.waiting.pop_front();
  state.running.push_back(request);
  plan.admitted.push_back(request);
  schedule(plan, request, tokens);
  return true;
}

void admit_waiting(SchedulerState& state, StepPlan& plan) {
  while (!state.waiting.empty() && admit_head(state, plan)) {
  }
}

}  // namespace ridgepoint::workloads
