// SPDX-License-Identifier: Apache-2.0
// softmax(q K^T / sqrt(d)) V over a paged cache, for any mix of prefill chunks (causal) and decode
// rows. Keys are walked in tiles of kKeyTile tokens at absolute positions with an online softmax
// (Dao et al. 2022), so a row's bits do not depend on how its query block was cut. Long contexts
// may be split over cores and merged by log-sum-exp, which changes the last bits.
#pragma once

#include <string>
#include <vector>

#include "kernels/kv_cache.hpp"
#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

inline constexpr std::int64_t kKeyTile = 128;  // tokens per K and V tile
inline constexpr std::int64_t kKeySlots = 4;   // of the K ring and of the V ring
inline constexpr std::int64_t kScoreSlots = 2;
inline constexpr std::int64_t kQueryBlock = 128;  // most prefill rows that share a walk

struct AttentionArgs {
  Tensor q;    // [T, >= heads * head_dim]; head h in columns [h * head_dim, (h + 1) * head_dim)
  Tensor out;  // [T, heads * head_dim]
  KvCache cache;
  std::int64_t heads = 0;  // a multiple of cache.kv_heads
  std::vector<Sequence> sequences;
  std::int64_t most_splits = 1;         // 1: never split
  std::uint64_t workspace_address = 0;  // partial results, workspace_bytes() of them
};

// One walk over key tiles [tile0, tile1) by one core: query rows [q0, q0 + rows) of a sequence's
// new tokens, all query heads of one KV head.
struct AttentionItem {
  std::int32_t sequence = 0;
  std::int32_t kv_head = 0;
  std::int64_t q0 = 0, rows = 0;
  std::int64_t tile0 = 0, tile1 = 0;
  std::int32_t split = -1;  // -1: whole walk; else the number of its partial result
  std::int32_t output = 0;  // with a split: which output it belongs to
};

// The walks of every core (longest first, each to the least loaded core) and what is merged after.
struct AttentionPlan {
  std::vector<std::vector<AttentionItem>> by_core;
  struct Merge {
    AttentionItem item;  // rows and heads
    std::int32_t first_split = 0, splits = 0;
  };
  std::vector<Merge> merges;  // merge i on core i mod cores
  std::int64_t partials = 0;
};
// What a walk of `rows` query rows over `tiles` key tiles is counted as when cores are balanced: the
// array streams at least matrix_rows rows per tile, however few a decode has.
std::int64_t walk_work(const isa::CoreShape& shape, std::int64_t group, std::int64_t rows,
                       std::int64_t tiles);

// Prefill rows per walk: kQueryBlock, or the largest power of two whose scores, outputs, queries
// and probabilities fit the core beside the K and V rings.
std::int64_t query_block(const isa::CoreShape& shape, const AttentionArgs& args);

AttentionPlan plan_attention(const isa::CoreShape& shape, const AttentionArgs& args);

// Splits of each walk: one when there are >= 0.8 walks per core, otherwise the fewest within 85 %
// of the best wave efficiency (the rule of FlashAttention's split-KV heuristic), at most `most`.
std::int64_t choose_splits(std::int64_t walks, std::int64_t cores, std::int64_t most);

// Bytes of partial results the plan may need at workspace_address.
std::uint64_t workspace_bytes(const isa::CoreShape& shape, const AttentionArgs& args);

// 4 * heads * head_dim * (visible keys summed over rows).
double attention_flops(const AttentionArgs& args);

isa::Kernel attention(const isa::CoreShape& shape, const AttentionArgs& args,
                      const std::string& name);

}  // namespace ridgepoint::kernels
