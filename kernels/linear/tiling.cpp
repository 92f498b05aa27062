// SPDX-License-Identifier: Apache-2.0
// How a linear layer is cut for a core; no search, a rule per size.
#include <algorithm>

#include "kernels/linear/linear.hpp"
#include "kernels/linear/slots.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kWeightSlotBytes = 96 * 1024;  // larger slots only lengthen the ramp
constexpr std::int64_t kStageBytes = 16 * 1024;       // smallest chunk worth a signal

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

// Panels per tile: the fewest rounds over the cores, then the widest.
std::int64_t panels_per_tile(std::int64_t panels, std::int64_t most, std::int64_t cores) {
  std::int64_t best = 1;
  std::int64_t best_rounds = ceil_div(panels, cores);
  for (std::int64_t a = 2; a <= most; ++a) {
    const std::int64_t rounds = ceil_div(ceil_div(panels, a), cores) * a;
    if (rounds <= best_rounds) {
      best = a;
      best_rounds = rounds;
    }
  }
  return best;
}

}  // namespace

LinearTiling choose_tiling(const isa::CoreShape& shape, const LinearArgs& args) {
  const std::int64_t m = args.x.rows;
  const std::int64_t k = args.w.k;
  const std::int64_t panel = args.w.panel_rows;
  LinearTiling t;
  // Rows: what two accumulators of one panel hold, evenly over the row tiles.
  std::int64_t most_rows = std::max<std::int64_t>(1, shape.accumulator_bytes / (2 * panel * 4));
  if (shape.tile_rows > 0) most_rows = std::min(most_rows, shape.tile_rows);
  const std::int64_t row_tiles = ceil_div(m, most_rows);
  t.mt = shape.tile_rows > 0 ? std::min(m, most_rows) : ceil_div(m, row_tiles);
  t.accumulators = 2;
  const std::int64_t x_row = core::bytes_of(args.x.dtype, k);
  t.x_in_core = t.mt * x_row <= shape.scratchpad_bytes / 3;
  // Wide tiles save reads of X, which a core that keeps X does not repeat anyway.
  const std::int64_t weight_ring =
      kWeightSlots * panel * shape.matrix_rows * core::bits_of(args.w.dtype) / 8;
  const std::int64_t most_panels =
      t.x_in_core ? 1
                  : std::min(shape.accumulator_bytes / (t.accumulators * t.mt * panel * 4),
                             shape.scratchpad_bytes / (2 * weight_ring));
  t.nt = panel * panels_per_tile(args.w.panels(),
                                 std::clamp<std::int64_t>(most_panels, 1, args.w.panels()),
                                 shape.cores);

  const std::int64_t panel_bytes = t.mt * x_row;
  t.x_in_shared = panel_bytes <= shape.shared_bytes;
  if (t.x_in_shared) {
    t.shared_panels = std::min(ceil_div(m, t.mt), shape.shared_bytes / panel_bytes);
  }

  // K: the largest step whose slots fit, below the weight slot's cap.
  std::int64_t budget = shape.scratchpad_bytes;
  if (t.x_in_core) budget -= t.mt * x_row;
  if (args.bias) budget -= core::bytes_of(args.bias->dtype, t.nt);
  if (args.residual) {
    budget -= kResidualSlots * ceil_div(t.mt, 4) * core::bytes_of(args.residual->dtype, t.nt);
  }
  const std::int64_t x_bits = t.mt * core::bits_of(args.x.dtype);
  std::int64_t bits_per_k = kWeightSlots * t.nt * core::bits_of(args.w.dtype);
  if (!t.x_in_core) bits_per_k += kActivationSlots * x_bits;
  if (t.x_in_shared) bits_per_k += kStageSlots * x_bits;
  const std::int64_t fits = budget * 8 / bits_per_k;
  const std::int64_t cap = kWeightSlotBytes * 8 / (t.nt * core::bits_of(args.w.dtype));
  const std::int64_t step = shape.matrix_rows;
  t.kt = std::min(k, std::max(step, std::min(fits, cap) / step * step));

  t.stage_cols = t.kt;
  if (t.x_in_core) {
    const std::int64_t worthwhile = ceil_div(kStageBytes * 8, x_bits);
    const std::int64_t even = ceil_div(k, shape.cores);
    t.stage_cols = std::min(round_up(std::max(worthwhile, even), step), k);
    if (t.x_in_shared) {
      // What the weight slots leave; never below kt, for which the step above made room.
      const std::int64_t weight_bits = kWeightSlots * t.nt * core::bits_of(args.w.dtype) * t.kt;
      t.stage_cols = std::min(t.stage_cols, (budget * 8 - weight_bits) / (kStageSlots * x_bits));
    }
    // A K step lies in exactly one chunk.
    if (t.stage_cols < k) t.stage_cols = std::max(t.kt, t.stage_cols / t.kt * t.kt);
  }
  const std::int64_t tiles = ceil_div(args.w.n, t.nt);
  t.x_reads = t.x_in_shared ? 1 : t.x_in_core ? std::min(tiles, shape.cores) : tiles;
  return t;
}

double traffic_bytes(const LinearArgs& args, const LinearTiling& tiling) {
  const auto m = static_cast<double>(args.x.rows);
  const auto n = static_cast<double>(args.w.n);
  const auto k = static_cast<double>(args.w.k);
  const auto size = [](core::DType dtype) { return static_cast<double>(core::bits_of(dtype)) / 8; };
  const auto row_tiles = static_cast<double>(ceil_div(args.x.rows, tiling.mt));
  double bytes = size(args.w.dtype) * n * k * row_tiles +
                 size(args.x.dtype) * m * k * static_cast<double>(tiling.x_reads) +
                 size(args.y.dtype) * m * n;
  if (args.residual) bytes += size(args.residual->dtype) * m * n;
  if (args.bias) bytes += size(args.bias->dtype) * n * row_tiles;
  return bytes;
}

}  // namespace ridgepoint::kernels
