// SPDX-License-Identifier: Apache-2.0
// softmax(q K^T * scale) V over a paged cache, for any mix of prefill chunks (causal) and decode
// rows; with a sliding window, attention sinks, a cache in any format, and latent attention's two
// forms. Keys are walked in tiles at absolute positions with an online softmax (Dao et al. 2022),
// so a row's bits do not depend on how its query block was cut. Long contexts may be split over
// cores and merged by log-sum-exp, which changes the last bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kv_cache.hpp"
#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

inline constexpr std::int64_t kKeyTile = 128;  // most tokens per K and V tile
inline constexpr std::int64_t kKeySlots = 4;   // of the K ring and of the V ring
inline constexpr std::int64_t kScoreSlots = 2;
inline constexpr std::int64_t kMergeRows = 16;    // of a partial result that one merge takes
inline constexpr std::int64_t kMergeSlots = 2;    // of partial results and of merged ones
inline constexpr std::int64_t kQueryBlock = 128;  // most prefill rows that share a walk

// Keys and values of every head, expanded from the latent cache of one sequence (latent attention,
// not absorbed); row = position.
struct ExpandedKeys {
  Tensor k;       // [context, heads * nope]; K's part without position
  Tensor v;       // [context, heads * v_dim]
  Tensor latent;  // [context, >= rope_column + rope]; K's part with position, shared by all heads
  std::int64_t nope = 0, rope = 0, rope_column = 0;
};

struct AttentionArgs {
  Tensor q;    // [T, >= heads * qk_dim]; head h in columns [h * qk_dim, (h + 1) * qk_dim)
  Tensor out;  // [T, heads * v_dim]
  KvCache cache;
  std::int64_t heads = 0;  // a multiple of the KV heads
  std::vector<Sequence> sequences;
  std::int64_t most_splits = 1;          // 1: never split
  std::uint64_t workspace_address = 0;   // partial results, workspace_bytes() of them
  std::int64_t window = 0;               // a row sees itself and the window - 1 before it; 0: all
  std::optional<Tensor> sinks;           // [1, heads]: a logit that takes weight and gives no value
  std::int64_t v_dim = 0;                // 0: cache.head_dim; latent: the leading part of K
  float scale = 0;                       // of scores; 0: 1/sqrt(qk_dim)
  std::optional<ExpandedKeys> expanded;  // in place of the cache; then one sequence

  std::int64_t kv_heads() const { return expanded ? heads : cache.kv_heads; }
  std::int64_t qk_dim() const {
    return expanded ? expanded->nope + expanded->rope : cache.head_dim;
  }
  std::int64_t value_dim() const { return v_dim > 0 ? v_dim : cache.head_dim; }
  core::DType key_dtype() const { return expanded ? expanded->k.dtype : cache.dtype; }
  bool values_are_keys() const { return !expanded && cache.latent; }
  // First position that row `row` of the new tokens sees.
  std::int64_t first_visible(const Sequence& sequence, std::int64_t row) const;
};

// Sizes a core's tiles have, the smallest where none fit: the same for every batch of a model, but
// for those of queries and, where memories are small, of keys.
struct AttentionTiles {
  std::int64_t key_tile = kKeyTile;  // halved until the K and V rings fit
  std::int64_t parts = 1;            // a KV head's query heads are walked in this many groups
  std::int64_t group = 1;            // query heads per walk
  std::int64_t query_rows = 1;       // prefill rows per walk: kQueryBlock, halved until all fits
  std::int64_t query_slots = 2;      // walks whose queries are held
  // Of queries, partial results and outputs. A decode walk has one tile whose rows are the heads of
  // the group, a prefill walk one tile per head, or two; tile_rows is the most that either has.
  std::int64_t query_tiles = 1;
  std::int64_t tile_rows = 1;
  std::int64_t key_slots = kKeySlots;
  bool one_by_one = false;  // a walk begins when the one before it is stored
  // The rows of a prefill walk of one head are two tiles: one is multiplied during the softmax of
  // the other (the two warpgroups of FlashAttention-3, Shah et al. 2024, section 3.1).
  bool halves = false;
  // Decode walks of a core side by side, each in its lane with an equal share of the engines.
  std::int64_t lanes = 1;
  bool on_lanes = false;      // products of one row, on the vector lanes
  bool scores_ahead = false;  // a tile's scores are computed before the softmax of the one before
};
AttentionTiles attention_tiles(const isa::CoreShape& shape, const AttentionArgs& args);
isa::CoreBytes attention_least(const isa::CoreShape& shape, const AttentionArgs& args);
// query_rows of a long prefill.
std::int64_t query_block(const isa::CoreShape& shape, const AttentionArgs& args);

// One walk over key tiles [tile0, tile1) by one core: query rows [q0, q0 + rows) of a sequence's
// new tokens, all query heads of one group (numbered kv_head * parts + part).
struct AttentionItem {
  std::int32_t sequence = 0;
  std::int32_t head_group = 0;
  std::int64_t q0 = 0, rows = 0;
  std::int64_t tile0 = 0, tile1 = 0;
  std::int32_t split = -1;  // -1: whole walk; else the number of its partial result
  std::int32_t output = 0;  // with a split: which output it belongs to
  std::int32_t lane = 0;    // of its core
};

// The walks of every core (longest first, each to the least loaded core) and what is merged after.
struct AttentionPlan {
  std::vector<std::vector<AttentionItem>> by_core;
  struct Merge {
    AttentionItem item;  // rows and heads
    std::int32_t first_split = 0, splits = 0;
  };
  std::vector<Merge> merges;
  std::int64_t partials = 0;
};
// What a walk of `rows` query rows over `tiles` key tiles is counted as when cores are balanced:
// the array streams at least matrix_rows rows per tile, however few a decode has.
std::int64_t walk_work(const isa::CoreShape& shape, std::int64_t group, std::int64_t rows,
                       std::int64_t tiles);

AttentionPlan plan_attention(const isa::CoreShape& shape, const AttentionArgs& args);

// Splits of each walk: one when there are >= 0.8 walks per core, otherwise the fewest within 85 %
// of the best wave efficiency (the rule of FlashAttention's split-KV heuristic), at most `most`.
std::int64_t choose_splits(std::int64_t walks, std::int64_t cores, std::int64_t most);

// Bytes of partial results the plan may need at workspace_address.
std::uint64_t workspace_bytes(const isa::CoreShape& shape, const AttentionArgs& args);

// 2 * heads * (qk_dim + v_dim) * (visible keys summed over rows).
double attention_flops(const AttentionArgs& args);

// HBM bytes: per walk its queries, its output and every key and value from the first one its rows
// see to their own; without partial results, which depend on the split.
double attention_bytes(const isa::CoreShape& shape, const AttentionArgs& args);

isa::Kernel attention(const isa::CoreShape& shape, const AttentionArgs& args,
                      const std::string& name);

}  // namespace ridgepoint::kernels
