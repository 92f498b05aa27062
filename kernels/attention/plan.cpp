// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <queue>

#include "kernels/attention/attention.hpp"

namespace ridgepoint::kernels {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double efficiency(std::int64_t walks, std::int64_t cores) {
  return static_cast<double>(walks) / static_cast<double>(ceil_div(walks, cores) * cores);
}

std::vector<AttentionItem> whole_walks(const AttentionArgs& args, std::int64_t block) {
  std::vector<AttentionItem> items;
  for (std::size_t s = 0; s < args.sequences.size(); ++s) {
    const Sequence& sequence = args.sequences[s];
    const std::int64_t before = sequence.context - sequence.new_tokens;
    for (std::int64_t q0 = 0; q0 < sequence.new_tokens; q0 += block) {
      const std::int64_t rows = std::min(block, sequence.new_tokens - q0);
      for (std::int64_t head = 0; head < args.cache.kv_heads; ++head) {
        items.push_back({static_cast<std::int32_t>(s), static_cast<std::int32_t>(head), q0, rows, 0,
                         ceil_div(before + q0 + rows, kKeyTile), -1, 0});
      }
    }
  }
  return items;
}

// Cuts every decode walk into `splits` nearly equal ranges of tiles.
void split_walks(std::vector<AttentionItem>& items, std::int64_t splits, AttentionPlan& plan) {
  std::vector<AttentionItem> cut;
  for (const AttentionItem& item : items) {
    const std::int64_t parts = std::min(splits, item.tile1);
    if (parts <= 1) {
      cut.push_back(item);
      continue;
    }
    const auto output = static_cast<std::int32_t>(plan.merges.size());
    plan.merges.push_back(
        {item, static_cast<std::int32_t>(plan.partials), static_cast<std::int32_t>(parts)});
    for (std::int64_t p = 0; p < parts; ++p) {
      AttentionItem part = item;
      part.tile0 = item.tile1 * p / parts;
      part.tile1 = item.tile1 * (p + 1) / parts;
      part.split = static_cast<std::int32_t>(plan.partials++);
      part.output = output;
      cut.push_back(part);
    }
  }
  items = std::move(cut);
}

}  // namespace

std::int64_t walk_work(const isa::CoreShape& shape, std::int64_t group, std::int64_t rows,
                       std::int64_t tiles) {
  return std::max(group * rows, shape.matrix_rows) * tiles;
}

std::int64_t query_block(const isa::CoreShape& shape, const AttentionArgs& args) {
  const std::int64_t group = args.heads / args.cache.kv_heads, dim = args.cache.head_dim;
  const std::int64_t accumulators = 4 * (kScoreSlots * kKeyTile + group * (dim + 2));
  const std::int64_t operands =
      core::bytes_of(args.q.dtype, 2 * group * dim + kScoreSlots * kKeyTile);
  const std::int64_t rings = core::bytes_of(args.cache.dtype, 2 * kKeySlots * kKeyTile * dim);
  std::int64_t block = kQueryBlock;
  while (block > 1 && (block * accumulators > shape.accumulator_bytes ||
                       block * operands + rings > shape.scratchpad_bytes)) {
    block /= 2;
  }
  return block;
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

AttentionPlan plan_attention(const isa::CoreShape& shape, const AttentionArgs& args) {
  AttentionPlan plan;
  std::vector<AttentionItem> items = whole_walks(args, query_block(shape, args));
  std::int64_t longest = 0;
  for (const AttentionItem& item : items) longest = std::max(longest, item.tile1);
  const std::int64_t splits =
      choose_splits(static_cast<std::int64_t>(items.size()), shape.cores,
                    std::min({args.most_splits, longest, std::int64_t{128}}));
  if (splits > 1) split_walks(items, splits, plan);

  const auto work_of = [&](const AttentionItem& item) {
    return walk_work(shape, args.heads / args.cache.kv_heads, item.rows, item.tile1 - item.tile0);
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const auto& a, const auto& b) { return work_of(a) > work_of(b); });
  using Load = std::pair<std::int64_t, std::int64_t>;  // work, core
  std::priority_queue<Load, std::vector<Load>, std::greater<>> cores;
  for (std::int64_t c = 0; c < shape.cores; ++c) cores.push({0, c});
  plan.by_core.resize(static_cast<std::size_t>(shape.cores));
  for (const AttentionItem& item : items) {
    const auto [work, core] = cores.top();
    cores.pop();
    plan.by_core[static_cast<std::size_t>(core)].push_back(item);
    cores.push({work + work_of(item), core});
  }
  return plan;
}

std::uint64_t workspace_bytes(const isa::CoreShape& shape, const AttentionArgs& args) {
  const std::int64_t group = args.heads / args.cache.kv_heads;
  const std::int64_t rows = group * kQueryBlock;
  return static_cast<std::uint64_t>(plan_attention(shape, args).partials * rows *
                                    (args.cache.head_dim + 2) * 4);
}

double attention_flops(const AttentionArgs& args) {
  double visible = 0;
  for (const Sequence& sequence : args.sequences) {
    const auto n = static_cast<double>(sequence.new_tokens);
    const auto before = static_cast<double>(sequence.context - sequence.new_tokens);
    visible += n * before + n * (n + 1) / 2;
  }
  return 4.0 * static_cast<double>(args.heads * args.cache.head_dim) * visible;
}

}  // namespace ridgepoint::kernels
