// SPDX-License-Identifier: Apache-2.0
// What all cores of one attention launch share: arguments, tile sizes, the plan, and where queries,
// outputs and partial results lie. Internal to the attention kernel.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/attention/attention.hpp"

namespace ridgepoint::kernels {

struct AttentionJob {
  AttentionArgs args;
  AttentionTiles tiles;
  AttentionPlan plan;
  std::int64_t dim = 0, v_dim = 0;
  float scale = 1;
  std::int64_t begin_elements = 0;         // vector work before a walk
  std::int64_t decode_begin_elements = 0;  // of one that decodes: a core's blocks begin together
  std::vector<float> workspace;            // values of partial results, when attached

  AttentionJob(const isa::CoreShape& shape, const AttentionArgs& arguments);

  const Sequence& sequence(const AttentionItem& item) const {
    return args.sequences[static_cast<std::size_t>(item.sequence)];
  }
  // Decode: the query heads of the group are the rows of one tile. Prefill: each has a tile, or the
  // one head has a tile per half of its rows.
  bool heads_as_rows(const AttentionItem& item) const { return sequence(item).new_tokens == 1; }
  std::int64_t tiles_of(const AttentionItem& item) const {
    if (heads_as_rows(item)) return 1;
    return tiles.halves ? (item.rows + tiles.tile_rows - 1) / tiles.tile_rows : tiles.group;
  }
  std::int64_t rows_of(const AttentionItem& item, std::int64_t g) const {
    if (heads_as_rows(item)) return tiles.group;
    return std::min(tiles.tile_rows, item.rows - first_row(item, g));
  }
  // Of tile g, from the first row of the item.
  std::int64_t first_row(const AttentionItem& item, std::int64_t g) const {
    return tiles.halves && !heads_as_rows(item) ? g * tiles.tile_rows : 0;
  }
  std::int64_t head_of(const AttentionItem& item, std::int64_t g) const {
    return first_head(item) + (tiles.halves ? 0 : g);
  }
  std::int64_t first_head(const AttentionItem& item) const { return item.head_group * tiles.group; }
  std::int64_t kv_head(const AttentionItem& item) const { return item.head_group / tiles.parts; }
  // Query (or output) tile g of an item, `width` columns per head.
  isa::View head_view(const Tensor& tensor, const AttentionItem& item, std::int64_t g,
                      std::int64_t width) const;
  // Partial result `split`, tile g: [rows, v_dim + 2] fp32.
  isa::View partial_view(std::int64_t split, std::int64_t g, std::int64_t rows);
  std::uint32_t partial_slot(std::int64_t split, std::int64_t g) const {
    return static_cast<std::uint32_t>(split * tiles.query_tiles + g);
  }
};

}  // namespace ridgepoint::kernels
