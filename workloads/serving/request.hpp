// SPDX-License-Identifier: Apache-2.0
// One request inside the serving engine: what it asks for, how far it is, which blocks it holds and
// where its time went.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workloads/serving/block_hash.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

using BlockId = std::int32_t;

// Every nanosecond between arrival and finish belongs to exactly one phase.
enum class Phase : std::uint8_t {
  kQueue,    // not in the running batch (also while preempted)
  kPrefill,  // running, known tokens not yet computed (also recomputation after preemption)
  kDecode,   // running, one token per step
};
inline constexpr std::size_t kPhases = 3;

struct Request {
  std::uint64_t id = 0;    // in order of arrival, from 0
  std::uint64_t line = 0;  // of the trace
  Nanoseconds arrival = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  // asked for; >= 1
  std::vector<std::uint64_t> block_ids;
  std::int64_t id_tokens = 0;  // tokens per entry of block_ids
  // Real token ids, prompt then outputs, when text is served; empty for traces.
  std::vector<std::int32_t> tokens;
  std::int64_t priority = 0;        // lower is served first, where the scheduler looks at it
  Nanoseconds deadline = kForever;  // likewise

  std::int64_t outputs = 0;        // sampled so far
  std::int64_t computed = 0;       // tokens whose KV is in the pool
  std::int64_t most_computed = 0;  // the largest `computed` ever: below it work is repeated
  std::int64_t swapped = 0;        // tokens whose KV waits in host memory
  std::vector<BlockId> blocks;     // block table: block i holds tokens [i*B, (i+1)*B)
  std::vector<BlockHash> hashes;   // of the full blocks of known tokens, as far as computed
  std::int64_t published = 0;      // blocks already offered to the prefix cache
  bool last_token_known = false;   // the model ended the text before output_tokens

  std::int64_t preemptions = 0;
  std::int64_t prefix_hit_tokens = 0;  // found in the cache and never computed for this request
  std::int64_t resident_tokens = 0;    // own tokens found again after a preemption
  std::int64_t recomputed_tokens = 0;  // computed again after a preemption

  Phase phase = Phase::kQueue;
  Nanoseconds mark = 0;  // since when it is in `phase`
  std::array<Nanoseconds, kPhases> spent{};
  Nanoseconds first_scheduled = -1;
  Nanoseconds first_token = -1;
  Nanoseconds queued_to_first = 0;  // part of TTFT outside the running batch
  Nanoseconds last_token = -1;

  std::int64_t known() const { return prompt_tokens + outputs; }
  // Tokens that ever need a KV slot: the last sampled one is never fed back.
  std::int64_t final_slots() const { return prompt_tokens + output_tokens - 1; }
  void enter(Phase next, Nanoseconds now) {
    spent[static_cast<std::size_t>(phase)] += now - mark;
    phase = next;
    mark = now;
  }
};

}  // namespace ridgepoint::workloads
