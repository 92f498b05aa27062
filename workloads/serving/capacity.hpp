// SPDX-License-Identifier: Apache-2.0
// How many requests fit beside the weights: pure arithmetic on a model's shape and a memory size,
// no simulation. The naive answer divides what the weights leave; the realistic one also takes the
// memory an engine may not use, the peak of its activations, its context, whole blocks and the null
// block into account. With a trace, both give the concurrency that its lengths really reach.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/core/dtype.hpp"
#include "workloads/models/shape.hpp"
#include "workloads/serving/kv_memory.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

struct CapacityInput {
  std::int64_t memory_bytes = 0;
  std::int64_t context_tokens = 0;  // a request holds at its end; >= 1
  core::DType weight_dtype = core::DType::kFp16;
  core::DType kv_dtype = core::DType::kFp16;
  core::DType activation_dtype = core::DType::kFp16;
  std::int64_t block_tokens = 16;
  // Only the realistic answer looks at these.
  double utilization = 0.9;              // share of the memory an engine may use
  std::int64_t overhead_bytes = 0;       // driver context, graphs, communication buffers
  std::int64_t max_batch_tokens = 2048;  // largest step: sizes the activations
  std::int64_t max_num_seqs = 256;       // most requests at once: sizes the logits
};

enum class Limit : std::uint8_t {
  kWeights,    // they leave no room for a single request
  kCache,      // one more request's cache does not fit
  kSequences,  // the engine's own limit comes first
};
std::string_view name_of(Limit limit);

struct Capacity {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes_per_token = 0;
  std::int64_t kv_bytes_per_request = 0;
  std::int64_t activation_bytes = 0;  // 0 in the naive answer
  std::int64_t kv_pool_bytes = 0;     // >= 0
  std::int64_t kv_blocks = 0;         // whole blocks in the pool, the null block included
  std::int64_t max_requests = 0;      // of context_tokens each
  Limit limit = Limit::kCache;
};

// Throws InputError naming the field if an input is out of range.
Capacity naive_capacity(const ModelShape& shape, const CapacityInput& input);
Capacity realistic_capacity(const ModelShape& shape, const CapacityInput& input);

// Largest sum of activations alive at once in a step of `tokens` rows of which `sampled` give
// logits: residual and normalised input, with either q, k, v and the attention output or the gate
// and up projections of every row; plus fp32 logits. Experts: the active ones.
std::int64_t activation_peak_bytes(const ModelShape& shape, core::DType dtype, std::int64_t tokens,
                                   std::int64_t sampled);

// What a trace's lengths make of a KV policy, weighted by decode steps (a request of o outputs
// counts o times, holding p, p+1, ... tokens). No queueing: the pool is taken as always full.
struct Footprint {
  std::uint64_t requests = 0;
  std::uint64_t too_long = 0;  // left out: their length exceeds the policy's reservation
  double decode_steps = 0;
  double used_slots = 0;  // sums over decode steps
  double allocated_slots = 0;
  double used_ratio() const { return allocated_slots > 0 ? used_slots / allocated_slots : 0; }
  // Requests that run at once in `blocks` blocks (null block included).
  double running(std::int64_t blocks, std::int64_t block_tokens) const;
};
Footprint trace_footprint(TraceSource& trace, const KvPolicy& policy, const KvOptions& options);

}  // namespace ridgepoint::workloads
