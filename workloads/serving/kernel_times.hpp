// SPDX-License-Identifier: Apache-2.0
// What the remembered step times ask the machine for: times of single kernels by their shapes, and
// the few facts about kernels that decide how time depends on a shape.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/time.hpp"

namespace ridgepoint::workloads {

// One sequence of a step for attention: its new tokens and the cached ones before them.
struct AttendingSequence {
  std::int64_t new_tokens = 1;
  std::int64_t context = 0;
  friend bool operator==(const AttendingSequence&, const AttendingSequence&) = default;
};

struct KernelGeometry {
  std::int64_t cores = 1;
  std::int64_t kv_heads = 1;       // attention walks the keys once per sequence, head and row block
  std::int64_t key_tile = 128;     // keys per tile of a walk
  std::int64_t query_block = 128;  // prefill rows that share a walk
  std::int64_t query_heads = 1;    // per KV head: query rows of a walk for each row of the batch
  std::int64_t array_rows = 128;   // of the matrix engine: fewer query rows take no less time
  std::int64_t attention_splits = 1;  // most parts of one walk
  std::int64_t row_tile = 1024;       // rows of a linear layer for one pass over its weights
  bool even_passes = false;           // rows are cut evenly over the passes, one after the other
  std::int64_t layer_weight_bytes = 0;
  std::int64_t token_kv_bytes = 0;  // of one layer
};

// A shape whose time will be asked for.
struct KernelQuery {
  std::int64_t tokens = 0;                   // > 0: the linear part of so many rows
  std::int64_t sampled = 0;                  // > 0: sampling from so many rows
  std::vector<AttendingSequence> attention;  // not empty: attention of this batch
};

// Whole-model kernel times (all layers), as the machine gives them. The same shape gives the same
// time whatever was asked before.
class KernelTimes {
 public:
  virtual ~KernelTimes() = default;
  virtual KernelGeometry geometry() const = 0;
  // Everything but attention and sampling, for `tokens` rows.
  virtual core::Femtoseconds linear_part(std::int64_t tokens) = 0;
  // What a second pass over the weights, of as many rows, takes less than the first: the launches
  // and ramps that a kernel has once. 0 where even_passes is false.
  virtual core::Femtoseconds second_pass_saving(std::int64_t) { return 0; }
  // Final norm, LM head and choice of a token for `rows` rows.
  virtual core::Femtoseconds sampling_part(std::int64_t rows) = 0;
  // Attention of a whole batch, one launch per layer.
  virtual core::Femtoseconds attention(std::span<const AttendingSequence> batch) = 0;
  // These will be asked for: may find them all at once, on every core of the host.
  virtual void prepare(std::span<const KernelQuery>) {}
};

}  // namespace ridgepoint::workloads
