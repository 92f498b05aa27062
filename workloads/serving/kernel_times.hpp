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

// A part of the layers: rows see themselves and the window - 1 tokens before them; 0: all.
struct WindowShare {
  std::int64_t window = 0;
  double share = 1;
};

struct KernelGeometry {
  std::int64_t cores = 1;
  std::int64_t core_blocks = 1;    // walks that a core holds at once, where walks may be split
  std::int64_t kv_heads = 1;       // attention walks the keys once per sequence, head and row block
  std::int64_t key_tile = 128;     // keys per tile of a walk
  std::int64_t query_block = 128;  // prefill rows that share a walk
  std::int64_t query_heads = 1;    // per KV head: query rows of a walk for each row of the batch
  std::int64_t array_rows = 128;   // of the matrix engine: fewer query rows take no less time
  std::int64_t attention_splits = 1;  // most parts of one walk
  std::vector<WindowShare> windows{WindowShare{}};
  // Prompts of up to so many keys in all are attended one by one, and the others between them
  // together: as many launches. 0: all together.
  std::int64_t alone_keys = 0;
  std::int64_t row_tile = 1024;  // rows of a linear layer for one pass over its weights
  bool even_passes = false;      // rows are cut evenly over the passes, one after the other
  std::int64_t layer_weight_bytes = 0;
  std::int64_t head_weight_bytes = 0;
  std::int64_t token_kv_bytes = 0;  // of one layer
};

// A shape whose time will be asked for.
struct KernelQuery {
  enum class Part { kLinear, kSampling, kAttention, kWholeStep };
  Part part = Part::kLinear;
  std::int64_t rows = 0;                 // of the linear part, or that sample
  std::vector<AttendingSequence> batch;  // of attention and of the whole step
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
  // A step of these sequences, so many of which sample, with all its kernels as they are launched.
  struct Step {
    core::Femtoseconds time = 0;
    core::Femtoseconds attention = 0;  // of it
  };
  virtual Step whole_step(std::span<const AttendingSequence> batch, std::int64_t sampled) = 0;
  // These will be asked for: may find them all at once, on every core of the host.
  virtual void prepare(std::span<const KernelQuery>) {}
};

}  // namespace ridgepoint::workloads
