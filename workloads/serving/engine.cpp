// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/engine.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

void require(bool ok, const char* key, double value, const char* accepted) {
  if (!ok) core::fail_input({}, key, std::to_string(value), "out of range", accepted);
}

}  // namespace

Engine::Engine(const EngineOptions& options, KvMemory& kv, Scheduler& scheduler,
               StepTimeModel& machine, EngineObservers observers)
    : options_(options),
      kv_(kv),
      scheduler_(scheduler),
      machine_(machine),
      observers_(std::move(observers)) {
  const SchedulerLimits& limits = options.limits;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  require(limits.max_num_batched_tokens >= 1, "--max-batch-tokens",
          number(limits.max_num_batched_tokens), "at least 1");
  require(limits.max_num_seqs >= 1, "--max-num-seqs", number(limits.max_num_seqs), "at least 1");
  require(limits.max_model_len >= 2, "--max-model-len", number(limits.max_model_len), "at least 2");
  require(limits.long_prefill_threshold >= 0, "--long-prefill-threshold",
          number(limits.long_prefill_threshold), "0 (no limit) or more");
  require(limits.watermark_blocks >= 0 && limits.watermark_blocks < kv.pool().usable_blocks(),
          "--watermark", number(limits.watermark_blocks), "0 to the usable blocks - 1");
  require(options.closed_loop >= 0, "--closed-loop", number(options.closed_loop), "0 or more");
  if (limits.preemption == Preemption::kSwap) {
    require(options.host_link_gb_per_s > 0, "--host-link-gb-per-s", options.host_link_gb_per_s,
            "more than 0 for preemption by swap");
    require(options.kv_bytes_per_token > 0, "kv_bytes_per_token",
            number(options.kv_bytes_per_token), "more than 0 for preemption by swap");
  }
  state_.kv = &kv;
  state_.limits = limits;
}

Engine::~Engine() = default;

bool Engine::fetch() {
  if (!have_next_) have_next_ = trace_->next(next_);
  return have_next_;
}

ServingSummary Engine::run(TraceSource& trace, const std::function<void(Request&)>& prepare) {
  trace_ = &trace;
  prepare_ = &prepare;
  while (true) {
    take_arrivals();
    if (live_.empty()) {
      if (!fetch()) break;
      now_ = std::max(now_, next_.arrival);
      carry_ = 0;
      continue;
    }
    step();
  }
  return std::move(summary_);
}

void Engine::take_arrivals() {
  while (true) {
    if (options_.closed_loop > 0) {
      if (static_cast<std::int64_t>(live_.size()) >= options_.closed_loop || !fetch()) return;
      next_.arrival = now_;
    } else if (!fetch() || next_.arrival > now_) {
      return;
    }
    Request request;
    request.id = summary_.requests++;
    request.line = next_.line;
    request.arrival = next_.arrival;
    request.prompt_tokens = next_.prompt_tokens;
    request.output_tokens = next_.output_tokens;
    request.block_ids = std::move(next_.block_ids);
    request.id_tokens = next_.block_tokens;
    have_next_ = false;
    arrive(std::move(request));
  }
}

Outcome Engine::outcome_of(const Request& request) const {
  const SchedulerLimits& limits = options_.limits;
  if (request.prompt_tokens + request.output_tokens > limits.max_model_len) {
    return Outcome::kLongerThanModel;
  }
  if (!kv_.can_ever_hold(request, limits.watermark_blocks)) return Outcome::kLargerThanPool;
  // After a preemption prompt and outputs are computed in one go, so both must fit.
  if (!limits.chunked_prefill && request.final_slots() > limits.max_num_batched_tokens) {
    return Outcome::kLargerThanBudget;
  }
  return Outcome::kCompleted;
}

void Engine::arrive(Request request) {
  if (*prepare_) (*prepare_)(request);
  if (!measuring_ && measured(request)) {
    measuring_ = true;
    measured_from_ = request.arrival;
  }
  const Outcome outcome = outcome_of(request);
  if (outcome != Outcome::kCompleted) {
    reject(request, outcome);
    return;
  }
  request.mark = request.arrival;
  if (measuring_) {
    summary_.waited_ns[static_cast<std::size_t>(WaitReason::kStepBoundary)] +=
        now_ - request.arrival;
  }
  auto owned = std::make_unique<Request>(std::move(request));
  Request* live = owned.get();
  live_.emplace_hint(live_.end(), live->id, std::move(owned));
  scheduler_.enqueue(state_, live);
}

void Engine::reject(const Request& request, Outcome outcome) {
  ++summary_.outcomes[static_cast<std::size_t>(outcome)];
  if (!observers_.request) return;
  RequestRecord record;
  record.id = request.id;
  record.line = request.line;
  record.outcome = outcome;
  record.measured = measured(request);
  record.arrival = request.arrival;
  record.prompt_tokens = request.prompt_tokens;
  record.output_tokens = request.output_tokens;
  observers_.request(record);
}

void Engine::step() {
  plan_.clear(options_.limits.max_num_batched_tokens);
  scheduler_.plan_step(state_, plan_);
  if (observers_.plan) observers_.plan(plan_, state_);
  after_planning();
  if (plan_.sequences.empty()) {
    check_progress();
    return;
  }
  idle_plans_ = 0;
  const Nanoseconds start = now_;
  carry_ += time_of_step();
  now_ += carry_ / core::kFsPerNs;
  carry_ %= core::kFsPerNs;
  after_step();
  record_step(start);
  check_invariants();
}

void Engine::after_planning() {
  for (Request* request : plan_.preempted) request->enter(Phase::kQueue, now_);
  for (Request* request : plan_.admitted) {
    request->enter(Phase::kPrefill, now_);
    if (request->first_scheduled >= 0) continue;
    request->first_scheduled = now_;
    if (measuring_) summary_.prompt_tokens += request->prompt_tokens;
  }
  if (measuring_) summary_.preemptions += static_cast<std::int64_t>(plan_.preempted.size());
  if (measuring_) summary_.swapped_tokens += plan_.swapped_in_tokens + plan_.swapped_out_tokens;
}

core::Femtoseconds Engine::time_of_step() {
  batch_.sequences.clear();
  batch_.block_tokens = kv_.pool().geometry().block_tokens;
  batch_.new_tokens = 0;
  batch_.sampled_rows = 0;
  for (const ScheduledSequence& planned : plan_.sequences) {
    const Request& request = *planned.request;
    ServedSequence sequence;
    sequence.request = request.id;
    sequence.new_tokens = planned.new_tokens;
    sequence.context = request.computed;
    sequence.sampled = request.computed + planned.new_tokens == request.known();
    sequence.block_table = request.blocks;
    if (!request.tokens.empty()) {
      sequence.tokens = std::span(request.tokens)
                            .subspan(static_cast<std::size_t>(request.computed),
                                     static_cast<std::size_t>(planned.new_tokens));
    }
    batch_.new_tokens += planned.new_tokens;
    batch_.sampled_rows += sequence.sampled ? 1 : 0;
    batch_.sequences.push_back(sequence);
  }
  core::Femtoseconds time = machine_.step_time(batch_);
  if (time <= 0) throw core::SimulationError("a step took no time");
  const std::int64_t swapped = plan_.swapped_in_tokens + plan_.swapped_out_tokens;
  if (swapped > 0) {  // GB/s is bytes/ns; swaps are not overlapped with the step
    const double bytes = static_cast<double>(swapped * options_.kv_bytes_per_token);
    time += std::llround(bytes / options_.host_link_gb_per_s * core::kFsPerNs);
  }
  return time;
}

void Engine::after_step() {
  done_.clear();
  const std::int64_t size = kv_.pool().geometry().block_tokens;
  for (std::size_t i = 0; i < plan_.sequences.size(); ++i) {
    Request& request = *plan_.sequences[i].request;
    const std::int64_t tokens = plan_.sequences[i].new_tokens;
    kv_.commit(request, tokens);
    const std::int64_t end = request.computed + tokens;
    request.recomputed_tokens +=
        std::max<std::int64_t>(0, std::min(request.most_computed, end) - request.computed);
    request.computed = end;
    request.most_computed = std::max(request.most_computed, end);
    if (measuring_) summary_.computed_tokens += tokens;
    if (end != request.known()) continue;
    if (measuring_) {
      summary_.used_slots += end;
      summary_.allocated_slots += static_cast<std::int64_t>(request.blocks.size()) * size;
    }
    add_token(request, i);
  }
  if (done_.empty()) return;
  std::erase_if(state_.running, [&](const Request* request) {
    return request->outputs == request->output_tokens || request->last_token_known;
  });
  for (const std::uint64_t id : done_) live_.erase(id);
}

void Engine::add_token(Request& request, std::size_t index) {
  if (const auto sampled = machine_.sampled_token(index)) {
    request.tokens.push_back(sampled->token);
    request.last_token_known = sampled->ends;
  }
  ++request.outputs;
  if (measuring_) ++summary_.output_tokens;
  if (request.phase != Phase::kDecode) request.enter(Phase::kDecode, now_);
  if (request.first_token < 0) {
    request.first_token = now_;
    request.queued_to_first = request.spent[static_cast<std::size_t>(Phase::kQueue)];
  } else if (measured(request)) {
    summary_.itl.add(now_ - request.last_token);
  }
  request.last_token = now_;
  if (request.outputs == request.output_tokens || request.last_token_known) finish(request);
}

void Engine::finish(Request& request) {
  request.enter(Phase::kDecode, now_);
  kv_.release(request);
  done_.push_back(request.id);
  RequestRecord record;
  record.id = request.id;
  record.line = request.line;
  record.measured = measured(request);
  record.arrival = request.arrival;
  record.prompt_tokens = request.prompt_tokens;
  record.output_tokens = request.output_tokens;
  record.outputs = request.outputs;
  record.ttft = request.first_token - request.arrival;
  record.e2e = now_ - request.arrival;
  if (request.outputs > 1) {
    const std::int64_t gaps = request.outputs - 1;
    record.tpot = (record.e2e - record.ttft + gaps / 2) / gaps;
  }
  record.spent = request.spent;
  record.preemptions = request.preemptions;
  record.prefix_hit_tokens = request.prefix_hit_tokens;
  record.resident_tokens = request.resident_tokens;
  record.recomputed_tokens = request.recomputed_tokens;
  record.tokens = request.tokens;
  ++summary_.outcomes[static_cast<std::size_t>(Outcome::kCompleted)];
  if (measuring_) summary_.makespan = now_ - measured_from_;
  if (record.measured) {
    ++summary_.measured;
    summary_.ttft.add(record.ttft);
    summary_.ttft_queued_ns += request.queued_to_first;
    summary_.longest = std::max(summary_.longest, request.prompt_tokens + request.outputs);
    if (record.tpot >= 0) summary_.tpot.add(record.tpot);
    summary_.e2e.add(record.e2e);
    for (std::size_t i = 0; i < kPhases; ++i) summary_.spent[i] += record.spent[i];
    const ServiceLevels& levels = options_.levels;
    if (record.ttft <= levels.ttft && record.tpot <= levels.tpot && record.e2e <= levels.e2e) {
      ++summary_.good;
    }
    summary_.recomputed_tokens += record.recomputed_tokens;
    summary_.resident_tokens += record.resident_tokens;
    summary_.prefix_hit_tokens += record.prefix_hit_tokens;
  }
  if (observers_.request) observers_.request(record);
  if (observers_.finished) observers_.finished(request);
}

void Engine::record_step(Nanoseconds start) {
  const Nanoseconds duration = now_ - start;
  const auto waiting = static_cast<std::int64_t>(state_.waiting.size());
  // Requests that finished in this step ran in it.
  const auto running = static_cast<std::int64_t>(state_.running.size() + done_.size());
  if (measuring_) {
    ++summary_.steps;
    summary_.running_max = std::max(summary_.running_max, running);
    summary_.running_ns += static_cast<WideInteger>(running) * duration;
    if (waiting > 0) {
      summary_.full_running_ns += static_cast<WideInteger>(running) * duration;
      summary_.full_ns += duration;
      summary_.waited_ns[static_cast<std::size_t>(plan_.wait_reason)] +=
          static_cast<WideInteger>(waiting) * duration;
    }
  }
  if (!observers_.step) return;
  StepRecord record;
  record.step = summary_.steps;
  record.start = start;
  record.duration = duration;
  record.new_tokens = batch_.new_tokens;
  record.sampled_rows = batch_.sampled_rows;
  record.running = running;
  record.waiting = waiting;
  record.preempted = static_cast<std::int64_t>(plan_.preempted.size());
  record.wait_reason = plan_.wait_reason;
  record.kv = kv_.pool().usage();
  observers_.step(record);
}

}  // namespace ridgepoint::workloads
