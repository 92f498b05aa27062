// SPDX-License-Identifier: Apache-2.0
#include "kernels/grouped/plan.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/linear/slots.hpp"
#include "kernels/operand_stream.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kWeightSlotBytes = 96 * 1024;  // larger slots only lengthen the ramp

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Scratchpad of weight slots of [nt, kt] (or [kt, nt]).
std::int64_t weight_bytes(const GroupedArgs& args, std::int64_t nt, std::int64_t kt) {
  const std::int64_t rows = args.transposed ? kt : nt, cols = args.transposed ? nt : kt;
  return OperandStream::bytes(kWeightSlots, rows, cols, args.w.dtype, args.x.dtype);
}

std::int64_t x_bytes(const GroupedArgs& args, const GroupedTiling& t) {
  return t.x_in_core ? t.x_slots * t.mt * core::bytes_of(args.x.dtype, args.k())
                     : kActivationSlots * t.mt * core::bytes_of(args.x.dtype, t.kt);
}

isa::CoreBytes needs(const GroupedArgs& args, const GroupedTiling& t) {
  const std::int64_t bias = args.bias ? core::bytes_of(args.bias->dtype, t.nt) : 0;
  return {weight_bytes(args, t.nt, t.kt) + x_bytes(args, t) + bias, 2 * t.mt * t.nt * 4};
}

// The next smaller tiles; false: there are none.
bool shrink(GroupedTiling& t) {
  if (t.x_in_core && t.x_slots > 1) {
    t.x_slots = 1;
  } else if (t.x_in_core) {
    t.x_in_core = false;
  } else if (t.mt > 1) {
    t.mt = ceil_div(t.mt, 2);
  } else {
    return false;
  }
  return true;
}

// Columns of a tile: whole panels of a plain weight, whole array passes of a transposed one.
std::int64_t n_step(const isa::CoreShape& shape, const GroupedArgs& args) {
  if (!args.transposed) return args.w.panel_rows;
  return std::lcm(shape.matrix_cols, core::block_of(args.w.dtype));
}

}  // namespace

GroupedTiling grouped_tiling(const isa::CoreShape& shape, const GroupedArgs& args,
                             std::int64_t most_rows) {
  const std::int64_t step_n = n_step(shape, args);
  const std::int64_t step_k = std::lcm(
      shape.matrix_rows, std::max(core::block_of(args.w.dtype), core::block_of(args.x.dtype)));
  GroupedTiling t;
  std::int64_t most = std::max<std::int64_t>(1, shape.accumulator_bytes / (2 * step_n * 4));
  if (shape.tile_rows > 0) most = std::min(most, shape.tile_rows);
  const std::int64_t rows = std::max<std::int64_t>(1, most_rows);
  t.mt = ceil_div(rows, ceil_div(rows, most));
  const std::int64_t panel = t.mt * core::bytes_of(args.x.dtype, args.k());
  t.x_in_core = panel <= shape.scratchpad_bytes / 2;
  t.x_slots = 2 * panel <= shape.scratchpad_bytes / 2 ? 2 : 1;
  t.nt = step_n;
  t.kt = args.transposed ? args.k() : std::min(args.k(), step_k);
  while (!shape.holds(needs(args, t)) && shrink(t)) {
  }
  std::int64_t budget = shape.scratchpad_bytes;
  if (args.bias) budget -= core::bytes_of(args.bias->dtype, args.n());
  const auto fits = [&](const GroupedTiling& tiling) {
    return weight_bytes(args, tiling.nt, tiling.kt) + x_bytes(args, tiling) <= budget &&
           2 * tiling.mt * tiling.nt * 4 <= shape.accumulator_bytes;
  };
  // X that streams is read once per tile: tiles as wide as fit, then K steps as long.
  const auto grow = [&](std::int64_t GroupedTiling::*size, std::int64_t step, std::int64_t limit) {
    for (;;) {
      GroupedTiling next = t;
      next.*size = std::min(limit, t.*size + step);
      const auto slot = static_cast<double>(next.nt * next.kt) * core::mean_bytes_of(args.w.dtype);
      if (next.*size == t.*size || !fits(next) || slot > kWeightSlotBytes) return;
      t = next;
    }
  };
  if (!t.x_in_core) grow(&GroupedTiling::nt, step_n, args.n());
  if (!args.transposed) grow(&GroupedTiling::kt, step_k, args.k());
  return t;
}

isa::CoreBytes grouped_least(const isa::CoreShape& shape, const GroupedArgs& args) {
  return needs(args, grouped_tiling(shape.without_memories(), args, 1));
}

GroupedPlan plan_grouped(const isa::CoreShape& shape, const GroupedArgs& args) {
  GroupedPlan plan;
  const std::vector<LinearGroup> groups = args.groups();
  std::int64_t most_rows = 0;
  for (const LinearGroup& group : groups) most_rows = std::max(most_rows, group.rows);
  plan.tiling = grouped_tiling(shape, args, most_rows);
  const GroupedTiling& t = plan.tiling;
  std::vector<GroupedTile> tiles;
  std::int64_t work = 0, panel = 0;
  const auto cost = [&shape](const GroupedTile& tile) {
    return std::max(tile.rows, shape.matrix_rows);
  };
  for (const LinearGroup& group : groups) {
    for (std::int64_t m0 = 0; m0 < group.rows; m0 += t.mt, ++panel) {
      for (std::int64_t n0 = 0; n0 < args.n(); n0 += t.nt) {
        tiles.push_back(
            {group, m0, std::min(t.mt, group.rows - m0), n0, std::min(t.nt, args.n() - n0), panel});
        work += cost(tiles.back());
      }
    }
  }
  plan.by_core.resize(static_cast<std::size_t>(shape.cores));
  std::int64_t done = 0;
  for (const GroupedTile& tile : tiles) {
    // The core in whose share of the work the middle of this tile lies.
    const std::int64_t middle = 2 * done + cost(tile);
    const std::int64_t core = std::min(shape.cores - 1, middle * shape.cores / (2 * work));
    plan.by_core[static_cast<std::size_t>(core)].push_back(tile);
    done += cost(tile);
  }
  return plan;
}

double grouped_bytes(const isa::CoreShape& shape, const GroupedArgs& args) {
  const GroupedPlan plan = plan_grouped(shape, args);
  std::int64_t bytes = 0;
  for (const std::vector<GroupedTile>& tiles : plan.by_core) {
    std::int64_t panel = -1;
    for (const GroupedTile& tile : tiles) {
      bytes += args.transposed ? args.k() * core::bytes_of(args.w.dtype, tile.cols)
                               : tile.cols * core::bytes_of(args.w.dtype, args.k());
      bytes += tile.rows * core::bytes_of(args.y.dtype, tile.cols);
      if (args.bias) bytes += core::bytes_of(args.bias->dtype, tile.cols);
      if (plan.tiling.x_in_core && tile.panel == panel) continue;
      panel = tile.panel;
      bytes += tile.rows * core::bytes_of(args.x.dtype, args.k());
    }
  }
  return static_cast<double>(bytes);
}

}  // namespace ridgepoint::kernels
