// SPDX-License-Identifier: Apache-2.0
// What a serving run reports. Times are nanoseconds. TTFT runs from arrival (queueing included) to
// the first token; TPOT of a request is (E2E - TTFT) / (outputs - 1); ITL pools every gap between
// two tokens of a request; E2E runs from arrival to the last token. Percentiles: distribution.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "workloads/serving/scheduler.hpp"
#include "workloads/traces/distribution.hpp"

namespace ridgepoint::workloads {

enum class Outcome : std::uint8_t {
  kCompleted,
  kLongerThanModel,   // prompt + output exceed max_model_len
  kLargerThanPool,    // its cache can never fit, alone in the pool
  kLargerThanBudget,  // without chunked prefill: its tokens never fit one step's budget
};
inline constexpr std::size_t kOutcomes = 4;
inline constexpr std::array<std::string_view, kOutcomes> kOutcomeNames{
    "completed", "longer_than_model", "larger_than_kv_pool", "larger_than_token_budget"};

// One row per request of the trace.
struct RequestRecord {
  std::uint64_t id = 0;
  std::uint64_t line = 0;
  Outcome outcome = Outcome::kCompleted;
  bool measured = true;  // false: within the warm-up
  Nanoseconds arrival = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t outputs = 0;
  Nanoseconds ttft = -1;  // -1: not measured (rejected)
  Nanoseconds tpot = -1;  // -1: fewer than two tokens
  Nanoseconds e2e = -1;
  std::array<Nanoseconds, kPhases> spent{};  // queue, prefill, decode: sum to e2e exactly
  std::int64_t preemptions = 0;
  std::int64_t prefix_hit_tokens = 0;
  std::int64_t resident_tokens = 0;
  std::int64_t recomputed_tokens = 0;
  std::span<const std::int32_t> tokens{};  // prompt and outputs of served text; for this call only
};

// One row per step, after it.
struct StepRecord {
  std::uint64_t step = 0;
  Nanoseconds start = 0;
  Nanoseconds duration = 0;
  std::int64_t new_tokens = 0;
  std::int64_t sampled_rows = 0;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t preempted = 0;
  WaitReason wait_reason = WaitReason::kBatch;  // meaningful if waiting > 0
  KvUsage kv;                                   // token slots
};

// Service levels a request must meet, all of them, to count as good; kForever: not asked for.
struct ServiceLevels {
  Nanoseconds ttft = kForever;
  Nanoseconds tpot = kForever;
  Nanoseconds e2e = kForever;
  bool any() const { return ttft != kForever || tpot != kForever || e2e != kForever; }
};

__extension__ using WideInteger = __int128;

// Sums of a run; ratios and means are computed from them. Warm-up requests are in `requests` and
// the outcome counts only; sums over steps start when the first measured request arrives.
struct ServingSummary {
  std::uint64_t requests = 0;
  std::array<std::uint64_t, kOutcomes> outcomes{};
  std::uint64_t measured = 0;  // completed and measured
  std::uint64_t good = 0;      // of those, within every service level
  Distribution ttft;
  Distribution tpot;
  Distribution itl;
  Distribution e2e;
  std::array<WideInteger, kPhases> spent{};  // of measured completed requests

  WideInteger ttft_queued_ns = 0;  // part of all TTFT outside the running batch
  std::int64_t longest = 0;        // prompt and output of a measured request

  Nanoseconds makespan = 0;  // from the first measured arrival to the last finish
  std::uint64_t steps = 0;
  std::int64_t output_tokens = 0;  // sampled in measured steps
  std::int64_t computed_tokens = 0;
  std::int64_t running_max = 0;
  WideInteger running_ns = 0;       // sum of running * duration
  WideInteger full_running_ns = 0;  // the same over steps in which requests had to wait
  WideInteger full_ns = 0;
  WideInteger used_slots = 0;  // sums over (running request, token sampled)
  WideInteger allocated_slots = 0;
  std::array<WideInteger, kWaitReasons> waited_ns{};  // sums to queue time of all requests
  std::int64_t preemptions = 0;
  std::int64_t recomputed_tokens = 0;
  std::int64_t resident_tokens = 0;
  std::int64_t prefix_hit_tokens = 0;
  std::int64_t prompt_tokens = 0;   // of requests let in for the first time
  std::int64_t swapped_tokens = 0;  // out and in

  std::uint64_t completed() const { return outcomes[0]; }
  std::uint64_t rejected() const { return requests - outcomes[0]; }
  double output_tokens_per_s() const;
  double goodput_per_s() const;      // good requests per second of makespan
  double running_mean() const;       // over the makespan, idle time included
  double running_mean_full() const;  // over steps in which requests had to wait; 0 if none
  double ttft_queued_ratio() const;  // of all TTFT
  // Slots holding cache / slots, had every request reserved as many as the longest one.
  double longest_reserved_ratio() const;
  double kv_used_ratio() const;  // slots holding cache / slots allocated, over decode steps
};

}  // namespace ridgepoint::workloads
