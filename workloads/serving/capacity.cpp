// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/core/error.hpp"
#include "workloads/models/counts.hpp"

namespace ridgepoint::workloads {
namespace {

void require(bool ok, const char* key, double value, const char* accepted) {
  if (!ok) core::fail_input({}, key, std::to_string(value), "out of range", accepted);
}

void check(const CapacityInput& input) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  require(input.memory_bytes > 0, "--machine.memory_gib", number(input.memory_bytes),
          "more than 0 bytes");
  require(input.context_tokens >= 1, "--context", number(input.context_tokens), "at least 1 token");
  require(input.block_tokens >= 1, "--block-tokens", number(input.block_tokens), "at least 1");
  require(input.utilization > 0 && input.utilization <= 1, "--utilization", input.utilization,
          "more than 0, at most 1");
  require(input.overhead_bytes >= 0, "--overhead-gib", number(input.overhead_bytes),
          "0 or more bytes");
  require(input.max_batch_tokens >= 1, "--max-batch-tokens", number(input.max_batch_tokens),
          "at least 1");
  require(input.max_num_seqs >= 1, "--max-num-seqs", number(input.max_num_seqs), "at least 1");
}

Capacity sizes(const ModelShape& shape, const CapacityInput& input) {
  check(input);
  Capacity capacity;
  capacity.weight_bytes = weight_bytes(shape, input.weight_dtype);
  capacity.kv_bytes_per_token = kv_bytes_per_token(shape, input.kv_dtype);
  capacity.kv_bytes_per_request = kv_bytes(shape, input.kv_dtype, input.context_tokens);
  return capacity;
}

std::int64_t block_bytes(const Capacity& capacity, const CapacityInput& input) {
  return std::max<std::int64_t>(1, capacity.kv_bytes_per_token * input.block_tokens);
}

void set_limit(Capacity& capacity, std::int64_t most) {
  capacity.limit = capacity.max_requests == 0 ? Limit::kWeights : Limit::kCache;
  if (capacity.max_requests <= most) return;
  capacity.max_requests = most;
  capacity.limit = Limit::kSequences;
}

}  // namespace

std::string_view name_of(Limit limit) {
  switch (limit) {
    case Limit::kWeights:
      return "weights";
    case Limit::kCache:
      return "cache";
    case Limit::kSequences:
      break;
  }
  return "max_num_seqs";
}

Capacity naive_capacity(const ModelShape& shape, const CapacityInput& input) {
  Capacity capacity = sizes(shape, input);
  capacity.kv_pool_bytes = std::max<std::int64_t>(0, input.memory_bytes - capacity.weight_bytes);
  capacity.kv_blocks = capacity.kv_pool_bytes / block_bytes(capacity, input);
  capacity.max_requests =
      capacity.kv_pool_bytes / std::max<std::int64_t>(1, capacity.kv_bytes_per_request);
  set_limit(capacity, capacity.max_requests);
  return capacity;
}

Capacity realistic_capacity(const ModelShape& shape, const CapacityInput& input) {
  Capacity capacity = sizes(shape, input);
  capacity.activation_bytes =
      activation_peak_bytes(shape, input.activation_dtype, input.max_batch_tokens,
                            std::min(input.max_num_seqs, input.max_batch_tokens));
  const auto usable = static_cast<std::int64_t>(
      std::floor(input.utilization * static_cast<double>(input.memory_bytes)));
  capacity.kv_pool_bytes = std::max<std::int64_t>(
      0, usable - capacity.weight_bytes - capacity.activation_bytes - input.overhead_bytes);
  const std::int64_t bytes = block_bytes(capacity, input);
  capacity.kv_blocks = capacity.kv_pool_bytes / bytes;
  const std::int64_t per_request = (capacity.kv_bytes_per_request + bytes - 1) / bytes;
  capacity.max_requests =
      std::max<std::int64_t>(0, capacity.kv_blocks - 1) / std::max<std::int64_t>(1, per_request);
  set_limit(capacity, input.max_num_seqs);
  return capacity;
}

std::int64_t activation_peak_bytes(const ModelShape& shape, core::DType dtype, std::int64_t tokens,
                                   std::int64_t sampled) {
  const std::int64_t attention = 2 * shape.q_dim() + 2 * shape.kv_dim();
  std::int64_t inner = shape.ffn_dim;
  if (shape.moe.has_value()) {
    inner = std::max(inner, shape.moe->ffn_dim * (shape.moe->active + shape.moe->shared_experts));
  }
  const std::int64_t feed_forward = (shape.gated() ? 2 : 1) * inner;
  const std::int64_t per_token = 2 * shape.d_model + std::max(attention, feed_forward);
  return core::bytes_of(dtype, tokens * per_token) + 4 * sampled * shape.vocab;
}

double Footprint::running(std::int64_t blocks, std::int64_t block_tokens) const {
  if (allocated_slots <= 0 || blocks < 2) return 0;  // one block is the null block
  const double slots = static_cast<double>(blocks - 1) * static_cast<double>(block_tokens);
  return slots * decode_steps / allocated_slots;
}

Footprint trace_footprint(TraceSource& trace, const KvPolicy& policy, const KvOptions& options) {
  Footprint footprint;
  TraceRequest request;
  while (trace.next(request)) {
    ++footprint.requests;
    const std::int64_t whole = request.prompt_tokens + request.output_tokens;
    if (policy.slots(options, whole, whole) < whole) {
      ++footprint.too_long;
      continue;
    }
    for (std::int64_t held = request.prompt_tokens; held < whole; ++held) {
      footprint.used_slots += static_cast<double>(held);
      footprint.allocated_slots += static_cast<double>(policy.slots(options, whole, held));
    }
    footprint.decode_steps += static_cast<double>(request.output_tokens);
  }
  return footprint;
}

}  // namespace ridgepoint::workloads
