// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <queue>

#include "kernels/attention/attention.hpp"
#include "kernels/operand_stream.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kLeastKeyTile = 16;
constexpr std::int64_t kWorthwhileRows = 32;  // of a prefill walk, before heads are split for it

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double efficiency(std::int64_t walks, std::int64_t cores) {
  return static_cast<double>(walks) / static_cast<double>(ceil_div(walks, cores) * cores);
}

// Scratchpad and accumulators of a core's walks, and of its merges.
isa::CoreBytes needs(const AttentionArgs& args, const AttentionTiles& t) {
  const core::DType q = args.q.dtype, kv = args.key_dtype();
  const std::int64_t tile = t.tile_rows;
  const std::int64_t tall = t.query_tiles * tile;  // all query tiles together
  std::int64_t operands = t.query_slots * tall * core::bytes_of(q, args.qk_dim()) +
                          kScoreSlots * tile * core::bytes_of(q, t.key_tile) +
                          OperandStream::bytes(t.key_slots, t.key_tile, args.qk_dim(), kv, q);
  if (!args.values_are_keys()) {
    operands += OperandStream::bytes(t.key_slots, t.key_tile, args.value_dim(), kv, q);
  }
  operands *= t.lanes;
  if (args.most_splits > 1) {
    operands += 2 * kMergeSlots * std::min(kMergeRows, tile) * (args.value_dim() + 2) * 4;
  }
  if (args.sinks) operands += (t.lanes + 1) * core::bytes_of(args.sinks->dtype, args.heads);
  return {operands,
          4 * t.lanes * (kScoreSlots * tile * t.key_tile + tall * (args.value_dim() + 2))};
}

bool fits(const isa::CoreShape& shape, const AttentionArgs& args, const AttentionTiles& t) {
  return shape.holds(needs(args, t));
}

std::vector<AttentionItem> whole_walks(const AttentionArgs& args, const AttentionTiles& t) {
  std::vector<AttentionItem> items;
  for (std::size_t s = 0; s < args.sequences.size(); ++s) {
    const Sequence& sequence = args.sequences[s];
    const std::int64_t before = sequence.context - sequence.new_tokens;
    for (std::int64_t q0 = 0; q0 < sequence.new_tokens; q0 += t.query_rows) {
      const std::int64_t rows = std::min(t.query_rows, sequence.new_tokens - q0);
      const std::int64_t tile0 = args.first_visible(sequence, q0) / t.key_tile;
      const std::int64_t tile1 = ceil_div(before + q0 + rows, t.key_tile);
      for (std::int64_t head = 0; head < args.kv_heads() * t.parts; ++head) {
        items.push_back({static_cast<std::int32_t>(s), static_cast<std::int32_t>(head), q0, rows,
                         tile0, tile1, -1, 0});
      }
    }
  }
  return items;
}

// Cuts every walk into `splits` nearly equal ranges of tiles.
void split_walks(std::vector<AttentionItem>& items, std::int64_t splits, AttentionPlan& plan) {
  std::vector<AttentionItem> cut;
  for (const AttentionItem& item : items) {
    const std::int64_t tiles = item.tile1 - item.tile0;
    const std::int64_t parts = std::min(splits, tiles);
    if (parts <= 1) {
      cut.push_back(item);
      continue;
    }
    const auto output = static_cast<std::int32_t>(plan.merges.size());
    plan.merges.push_back(
        {item, static_cast<std::int32_t>(plan.partials), static_cast<std::int32_t>(parts)});
    for (std::int64_t p = 0; p < parts; ++p) {
      AttentionItem part = item;
      part.tile0 = item.tile0 + tiles * p / parts;
      part.tile1 = item.tile0 + tiles * (p + 1) / parts;
      part.split = static_cast<std::int32_t>(plan.partials++);
      part.output = output;
      cut.push_back(part);
    }
  }
  items = std::move(cut);
}

// Heads of a group in so many parts more.
void cut_group(AttentionTiles& t, std::int64_t parts) {
  t.group /= parts;
  t.parts *= parts;
}
void halve_group(AttentionTiles& t) { cut_group(t, 2); }

// What small memories leave: the next smaller tiles; false: there are none.
bool shrink(AttentionTiles& t) {
  const std::int64_t least_slots = t.scores_ahead ? 2 : 1;
  if (t.key_tile > kLeastKeyTile) {
    t.key_tile /= 2;
  } else if (t.lanes > 1) {
    t.lanes /= 2;
  } else if (t.query_slots > 1) {
    t.query_slots = 1;
  } else if (t.key_slots > least_slots) {
    t.key_slots /= 2;
  } else if (t.group > 1) {
    std::int64_t factor = 2;
    while (t.group % factor != 0) ++factor;
    cut_group(t, factor);
  } else {
    return false;
  }
  return true;
}

void set_decode_tile(AttentionTiles& t) {
  t.query_tiles = 1;
  t.tile_rows = t.group;
}

bool fits_decode(const isa::CoreShape& shape, const AttentionArgs& args, AttentionTiles& t) {
  set_decode_tile(t);
  return fits(shape, args, t);
}

// Smaller tiles of keys, then fewer heads, until a decode fits.
void fit_decode(const isa::CoreShape& shape, const AttentionArgs& args, AttentionTiles& t) {
  while (t.key_tile > kLeastKeyTile && !fits_decode(shape, args, t)) {
    const bool fewer = shape.cached_bytes > 0 && t.key_tile == kKeyTile / 2;
    if (fewer && t.key_slots == kKeySlots) {
      t.key_slots = kKeySlots / 2;
    } else {
      t.key_tile /= 2;
    }
  }
  while (t.group % 2 == 0 && !fits_decode(shape, args, t)) halve_group(t);
  set_decode_tile(t);
}

// Walks of so many rows of prefill; `longest`: new tokens of a sequence; others may decode.
void set_query_rows(const isa::CoreShape& shape, const AttentionArgs& args, std::int64_t longest,
                    std::int64_t rows, AttentionTiles& t) {
  const bool decodes = std::any_of(args.sequences.begin(), args.sequences.end(),
                                   [](const Sequence& one) { return one.new_tokens == 1; });
  t.halves = t.one_by_one && shape.cached_bytes > 0 && t.group == 1 && rows > 1;
  t.query_rows = rows;
  t.query_tiles = t.halves ? 2 : t.group;
  t.tile_rows = std::max(std::min(t.halves ? rows / 2 : rows, longest), decodes ? t.group : 1);
}

void set_prefill_tiles(const isa::CoreShape& shape, const AttentionArgs& args, std::int64_t longest,
                       AttentionTiles& t) {
  const auto set_rows = [&](std::int64_t rows) { set_query_rows(shape, args, longest, rows, t); };
  const auto set_most_rows = [&] {
    std::int64_t rows = kQueryBlock;
    for (set_rows(rows); rows > 1 && !fits(shape, args, t); set_rows(rows)) rows /= 2;
    return rows;
  };
  t.one_by_one = shape.blocks == 1;
  std::int64_t worthwhile = kWorthwhileRows;
  std::int64_t rows = set_most_rows();
  if (shape.cached_bytes > 0) {
    // A cache serves the keys again for each head: tall tiles are worth more than few loads, and
    // more than deep rings.
    worthwhile = kQueryBlock;
    if (rows < kQueryBlock) t.query_slots = 1;
    while (t.group % 2 == 0 && set_most_rows() < std::min(worthwhile, longest)) halve_group(t);
    if (set_most_rows() < kQueryBlock) t.key_slots = kKeySlots / 2;
    rows = set_most_rows();
  }
  while (t.group % 2 == 0 && rows < std::min(worthwhile, longest)) {
    halve_group(t);
    rows = set_most_rows();
  }
  t.scores_ahead = shape.cached_bytes > 0 && t.group == 1;
}

}  // namespace

std::int64_t walk_work(const isa::CoreShape& shape, std::int64_t group, std::int64_t rows,
                       std::int64_t tiles) {
  return std::max(group * rows, shape.matrix_rows) * tiles;
}

std::int64_t query_block(const isa::CoreShape& shape, const AttentionArgs& args) {
  AttentionArgs tall = args;
  tall.sequences = {{0, kQueryBlock, kQueryBlock, nullptr}};
  return attention_tiles(shape, tall).query_rows;
}

isa::CoreBytes attention_least(const isa::CoreShape& shape, const AttentionArgs& args) {
  return needs(args, attention_tiles(shape.without_memories(), args));
}

std::int64_t AttentionArgs::first_visible(const Sequence& sequence, std::int64_t row) const {
  const std::int64_t position = sequence.context - sequence.new_tokens + row;
  return window > 0 ? std::max<std::int64_t>(0, position - window + 1) : 0;
}

AttentionTiles attention_tiles(const isa::CoreShape& shape, const AttentionArgs& args) {
  AttentionTiles t;
  t.group = args.heads / args.kv_heads();
  t.query_slots = args.values_are_keys() ? 1 : 2;
  const auto longer = [](const Sequence& a, const Sequence& b) {
    return a.new_tokens < b.new_tokens;
  };
  const auto longest = std::max_element(args.sequences.begin(), args.sequences.end(), longer);
  const bool prefills = longest != args.sequences.end() && longest->new_tokens > 1;
  const bool by_blocks = shape.cached_bytes > 0 && shape.blocks > 0 && !prefills;
  if (by_blocks) {
    // A lone row takes no array and, without a tile of rows, half the registers.
    t.on_lanes = t.group == 1;
    t.lanes = shape.blocks * (t.on_lanes ? 2 : 1);
    t.one_by_one = t.lanes == 1;
    t.key_slots = kKeySlots / 2;
    if (!fits_decode(shape, args, t)) t.key_slots = 1;
  }
  fit_decode(shape, args, t);
  if (prefills) {
    set_prefill_tiles(shape, args, longest->new_tokens, t);
  } else {
    t.scores_ahead = shape.cached_bytes > 0 && !by_blocks;
  }
  while (!fits(shape, args, t) && shrink(t)) {
    if (prefills) {
      set_query_rows(shape, args, longest->new_tokens, 1, t);
    } else {
      set_decode_tile(t);
    }
  }
  return t;
}

std::int64_t choose_splits(std::int64_t walks, std::int64_t cores, std::int64_t most) {
  if (10 * walks >= 8 * cores || most <= 1) return 1;
  double best = 0;
  for (std::int64_t s = 1; s <= most; ++s) best = std::max(best, efficiency(walks * s, cores));
  for (std::int64_t s = 1; s <= most; ++s) {
    if (efficiency(walks * s, cores) >= 0.85 * best) return s;
  }
  return 1;
}

namespace {

// Walks whose keys fit half a cache together stand side by side; most work first among them.
template <typename WorkOf>
void sort_walks(std::vector<AttentionItem>& items, const isa::CoreShape& shape,
                const AttentionArgs& args, const AttentionTiles& tiles, const WorkOf& work_of) {
  const auto key_bytes = core::bytes_of(args.key_dtype(), args.qk_dim() + args.value_dim());
  std::vector<std::int64_t> before{0};  // bytes of the keys of the sequences before
  for (const Sequence& sequence : args.sequences) {
    before.push_back(before.back() + sequence.context * args.kv_heads() * key_bytes);
  }
  const auto section_of = [&](const AttentionItem& item) -> std::int64_t {
    if (shape.cached_bytes == 0) return 0;
    const auto sequence = static_cast<std::size_t>(item.sequence);
    const std::int64_t heads = item.head_group / tiles.parts;
    return (before[sequence] + heads * args.sequences[sequence].context * key_bytes) /
           std::max<std::int64_t>(1, shape.cached_bytes / 2);
  };
  std::stable_sort(items.begin(), items.end(), [&](const auto& a, const auto& b) {
    const std::int64_t first = section_of(a), second = section_of(b);
    return first != second ? first < second : work_of(a) > work_of(b);
  });
}

}  // namespace

AttentionPlan plan_attention(const isa::CoreShape& shape, const AttentionArgs& args) {
  AttentionPlan plan;
  const AttentionTiles tiles = attention_tiles(shape, args);
  std::vector<AttentionItem> items = whole_walks(args, tiles);
  std::int64_t longest = 0;
  for (const AttentionItem& item : items) longest = std::max(longest, item.tile1 - item.tile0);
  const std::int64_t splits =
      choose_splits(static_cast<std::int64_t>(items.size()),
                    shape.cores * std::max({std::int64_t{1}, shape.blocks, tiles.lanes}),
                    std::min({args.most_splits, longest, std::int64_t{128}}));
  if (splits > 1) split_walks(items, splits, plan);

  const auto work_of = [&](const AttentionItem& item) {
    return walk_work(shape, tiles.group, item.rows, item.tile1 - item.tile0);
  };
  sort_walks(items, shape, args, tiles, work_of);
  using Load = std::pair<std::int64_t, std::int64_t>;  // work, lane * cores + core
  std::priority_queue<Load, std::vector<Load>, std::greater<>> lanes;
  for (std::int64_t l = 0; l < shape.cores * tiles.lanes; ++l) lanes.push({0, l});
  plan.by_core.resize(static_cast<std::size_t>(shape.cores));
  for (AttentionItem& item : items) {
    const auto [work, lane] = lanes.top();
    lanes.pop();
    item.lane = static_cast<std::int32_t>(lane / shape.cores);
    plan.by_core[static_cast<std::size_t>(lane % shape.cores)].push_back(item);
    lanes.push({work + work_of(item), lane});
  }
  return plan;
}

std::uint64_t workspace_bytes(const isa::CoreShape& shape, const AttentionArgs& args) {
  const AttentionTiles t = attention_tiles(shape, args);
  return static_cast<std::uint64_t>(plan_attention(shape, args).partials * t.query_tiles *
                                    t.tile_rows * (args.value_dim() + 2) * 4);
}

double attention_flops(const AttentionArgs& args) {
  double visible = 0;
  for (const Sequence& sequence : args.sequences) {
    const auto n = static_cast<double>(sequence.new_tokens);
    const auto before = static_cast<double>(sequence.context - sequence.new_tokens);
    if (args.window == 0) {
      visible += n * before + n * (n + 1) / 2;
      continue;
    }
    for (std::int64_t row = 0; row < sequence.new_tokens; ++row) {
      visible += before + static_cast<double>(row + 1 - args.first_visible(sequence, row));
    }
  }
  return 2.0 * static_cast<double>(args.heads * (args.qk_dim() + args.value_dim())) * visible;
}

double attention_bytes(const isa::CoreShape& shape, const AttentionArgs& args) {
  const AttentionTiles t = attention_tiles(shape, args);
  const core::DType kv = args.key_dtype();
  std::int64_t key = core::bytes_of(kv, args.qk_dim());
  if (args.expanded)
    key = core::bytes_of(kv, args.expanded->nope) +
          core::bytes_of(args.expanded->latent.dtype, args.expanded->rope);
  if (!args.values_are_keys()) key += core::bytes_of(kv, args.value_dim());
  std::int64_t bytes = 0;
  for (const Sequence& sequence : args.sequences) {
    const std::int64_t before = sequence.context - sequence.new_tokens;
    // With a cache the walks of a head may find each other's keys there.
    const std::int64_t height = shape.cached_bytes > 0 ? sequence.new_tokens : t.query_rows;
    const std::int64_t parts = shape.cached_bytes > 0 ? 1 : t.parts;
    for (std::int64_t q0 = 0; q0 < sequence.new_tokens; q0 += height) {
      const std::int64_t rows = std::min(height, sequence.new_tokens - q0);
      const std::int64_t keys = before + q0 + rows - args.first_visible(sequence, q0);
      bytes += args.kv_heads() * parts * keys * key;
    }
    bytes += sequence.new_tokens * args.heads *
             (core::bytes_of(args.q.dtype, args.qk_dim()) +
              core::bytes_of(args.out.dtype, args.value_dim()));
  }
  return static_cast<double>(bytes);
}

}  // namespace ridgepoint::kernels
