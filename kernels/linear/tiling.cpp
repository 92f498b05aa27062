// SPDX-License-Identifier: Apache-2.0
// How a linear layer is cut for a core; no search, a rule per size.
#include <algorithm>
#include <numeric>

#include "kernels/linear/linear.hpp"
#include "kernels/linear/slots.hpp"
#include "kernels/operand_stream.hpp"

namespace ridgepoint::kernels {
namespace {

constexpr std::int64_t kWeightSlotBytes = 96 * 1024;  // larger slots only lengthen the ramp
constexpr std::int64_t kStageBytes = 16 * 1024;       // smallest chunk worth a signal
// Tiles of machines with a cache.
constexpr std::int64_t kLeastRows = 64, kMostRows = 512, kMostColumns = 512;
constexpr std::int64_t kFewRows = 128, kFewColumns = 64, kFewColumnsMost = 128;
constexpr double kEqual = 1.02;

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

// K comes in multiples of an array pass and of the formats' blocks.
std::int64_t k_step(const isa::CoreShape& shape, core::DType w, core::DType x) {
  return std::lcm(shape.matrix_rows, std::max(core::block_of(w), core::block_of(x)));
}

}  // namespace

isa::CoreBytes linear_needs(const LinearArgs& args, const LinearTiling& t) {
  const core::DType x = args.x.dtype;
  std::int64_t operands = OperandStream::bytes(kWeightSlots, t.nt, t.kt, args.w.dtype, x);
  operands += t.x_in_core ? t.mt * core::bytes_of(x, args.w.k)
                          : kActivationSlots * t.mt * core::bytes_of(x, t.kt);
  if (t.x_in_shared) operands += kStageSlots * t.mt * core::bytes_of(x, t.stage_cols);
  if (args.bias) operands += core::bytes_of(args.bias->dtype, t.nt);
  if (args.residual) {
    operands += kResidualSlots * ceil_div(t.mt, kEpilogueChunks) *
                core::bytes_of(args.residual->dtype, t.nt);
  }
  return {operands, 4 * t.accumulators * t.mt * t.nt};
}

std::int64_t most_tile_rows(const isa::CoreShape& shape, std::int64_t panel, core::DType w,
                            core::DType x, bool bias) {
  const std::int64_t step = k_step(shape, w, x);
  std::int64_t rows = shape.accumulator_bytes / (2 * panel * 4);
  if (shape.tile_rows > 0) rows = std::min(rows, shape.tile_rows);
  // Slots of the smallest K step, X staged on its way to the shared memory, a residual in chunks.
  const std::int64_t left = shape.scratchpad_bytes -
                            OperandStream::bytes(kWeightSlots, panel, step, w, x) -
                            (bias ? core::bytes_of(core::DType::kFp32, panel) : 0);
  const std::int64_t chunk =
      (kActivationSlots + kStageSlots) * kEpilogueChunks * core::bytes_of(x, step) +
      kResidualSlots * core::bytes_of(x, panel);
  return std::max<std::int64_t>(1, std::min(rows, left / chunk * kEpilogueChunks));
}

namespace {

void choose_managed_tile(const isa::CoreShape& shape, const LinearArgs& args, LinearTiling& t) {
  const std::int64_t m = args.x.rows;
  const std::int64_t panel = args.w.panel_rows;
  // Evenly over the row tiles.
  const std::int64_t most_rows =
      most_tile_rows(shape, panel, args.w.dtype, args.x.dtype, args.bias.has_value());
  const std::int64_t row_tiles = ceil_div(m, most_rows);
  t.mt = shape.tile_rows > 0 ? std::min(m, most_rows) : ceil_div(m, row_tiles);
  t.accumulators = 2;
  const std::int64_t x_row = core::bytes_of(args.x.dtype, args.w.k);
  t.x_in_core = t.mt * x_row <= shape.scratchpad_bytes / 3;
  // Wide tiles save reads of X, which a core that keeps X does not repeat anyway.
  const std::int64_t step = k_step(shape, args.w.dtype, args.x.dtype);
  const std::int64_t weight_ring =
      OperandStream::bytes(kWeightSlots, panel, step, args.w.dtype, args.x.dtype);
  const std::int64_t most_panels =
      t.x_in_core ? 1
                  : std::min(shape.accumulator_bytes / (t.accumulators * t.mt * panel * 4),
                             shape.scratchpad_bytes / (2 * weight_ring));
  t.nt = panel * panels_per_tile(args.w.panels(),
                                 std::clamp<std::int64_t>(most_panels, 1, args.w.panels()),
                                 shape.cores);
}

// A lone block takes one tile after the other; it begins once.
bool stays(const isa::CoreShape& shape) { return shape.blocks == 1; }

// Cycles of all rounds over the cores: a tile lasts as long as the array, or as what it reads.
double rounds_cycles(const isa::CoreShape& shape, const LinearArgs& args, std::int64_t mt,
                     std::int64_t nt) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const std::int64_t tiles = ceil_div(args.x.rows, mt) * ceil_div(args.w.n, nt);
  const double rounds = real(ceil_div(tiles, shape.cores));
  const double k = real(args.w.k);
  const double array = k / real(shape.matrix_rows) * real(ceil_div(nt, shape.matrix_cols)) *
                       real(std::max(mt, shape.matrix_rows));
  const double read = k *
                      (real(mt) * core::mean_bytes_of(args.x.dtype) +
                       real(nt) * core::mean_bytes_of(args.w.dtype)) /
                      real(shape.load_bytes_per_cycle);
  const double written =
      real(mt * nt) * core::mean_bytes_of(args.y.dtype) / real(shape.load_bytes_per_cycle);
  // A begin that is there once is the same for all tiles.
  const double begin = stays(shape) ? 0 : real(shape.block_cycles);
  return rounds * (begin + std::max(array, read) + written);
}

// Widths of tiles: one and a half and twice the one before, in whole panels; each is wider.
std::int64_t next_width(std::int64_t nt, std::int64_t panel) {
  if (nt % (3 * panel) == 0) return nt / 3 * 4;
  return nt % 2 == 0 && nt * 3 / 2 % panel == 0 ? nt * 3 / 2 : nt * 2;
}

bool holds_cached_tile(const isa::CoreShape& shape, const LinearArgs& args, std::int64_t mt,
                       std::int64_t nt) {
  LinearTiling tile;
  tile.mt = mt;
  tile.nt = nt;
  tile.kt = k_step(shape, args.w.dtype, args.x.dtype);
  return shape.holds(linear_needs(args, tile));
}

// With a cache every core reads both operands of its tile as it goes: of the tiles that a core
// holds, the one whose rounds are shortest; of equals the one that reads least.
void search_cached_tile(const isa::CoreShape& shape, const LinearArgs& args, LinearTiling& t) {
  const std::int64_t panel = args.w.panel_rows;
  double best = 0;
  for (std::int64_t rows = kLeastRows; rows <= kMostRows; rows *= 2) {
    const std::int64_t mt = std::min(args.x.rows, rows);
    for (std::int64_t nt = panel; nt <= std::max(panel, kMostColumns); nt = next_width(nt, panel)) {
      if (best > 0 && !holds_cached_tile(shape, args, mt, nt)) break;
      const double cycles = rounds_cycles(shape, args, mt, nt);
      const bool less_read = mt * nt * (t.mt + t.nt) > t.mt * t.nt * (mt + nt);
      if (best > 0 && (cycles > best * kEqual || (cycles > best / kEqual && !less_read))) continue;
      best = best > 0 ? std::min(best, cycles) : cycles;
      t.mt = mt;
      t.nt = nt;
    }
    if (mt == args.x.rows) break;
  }
}

// Few rows wait for memory: the fewest rounds over the blocks that all cores hold, then the
// narrowest tiles, which keep most cores at it.
std::int64_t few_rows_width(const isa::CoreShape& shape, const LinearArgs& args) {
  const std::int64_t panel = args.w.panel_rows;
  const std::int64_t held = shape.cores * std::max<std::int64_t>(1, shape.blocks);
  const auto rounds = [&](std::int64_t nt) { return ceil_div(ceil_div(args.w.n, nt), held); };
  std::int64_t best = round_up(kFewColumns, panel);
  for (std::int64_t nt = best; nt <= kFewColumnsMost; nt = next_width(nt, panel)) {
    if (holds_cached_tile(shape, args, args.x.rows, nt) && rounds(nt) < rounds(best)) best = nt;
  }
  return best;
}

void choose_cached_tile(const isa::CoreShape& shape, const LinearArgs& args, LinearTiling& t) {
  const std::int64_t narrow = few_rows_width(shape, args);
  if (args.x.rows <= kFewRows && holds_cached_tile(shape, args, args.x.rows, narrow)) {
    t.mt = args.x.rows;
    t.nt = narrow;
  } else {
    search_cached_tile(shape, args, t);
  }
  t.accumulators = shape.blocks != 1 && 8 * t.mt * t.nt <= shape.accumulator_bytes ? 2 : 1;
  t.begin_elements = shape.block_cycles * shape.vector_lanes;
  t.stays = stays(shape);
}

// K: the largest step whose slots fit, below the weight slot's cap.
void choose_k_step(const isa::CoreShape& shape, const LinearArgs& args, LinearTiling& t) {
  const std::int64_t step = k_step(shape, args.w.dtype, args.x.dtype);
  const double column = static_cast<double>(t.nt) * core::mean_bytes_of(args.w.dtype);
  const auto columns = static_cast<std::int64_t>(static_cast<double>(kWeightSlotBytes) / column);
  t.kt = t.stage_cols = std::min(args.w.k, std::max(step, columns / step * step));
  while (t.kt > step && linear_needs(args, t).scratchpad > shape.scratchpad_bytes) {
    t.kt = t.stage_cols = (t.kt - 1) / step * step;
  }
}

// Chunks of a panel that a core keeps: worth a signal, and one for every core.
void choose_stage(const isa::CoreShape& shape, const LinearArgs& args, LinearTiling& t) {
  if (!t.x_in_core) return;
  const std::int64_t k = args.w.k;
  const std::int64_t x_bits = t.mt * core::bits_of(args.x.dtype);
  const std::int64_t worthwhile = ceil_div(kStageBytes * 8, x_bits);
  const std::int64_t even = ceil_div(k, shape.cores);
  const std::int64_t step = k_step(shape, args.w.dtype, args.x.dtype);
  t.stage_cols = std::min(round_up(std::max(worthwhile, even), step), k);
  if (t.x_in_shared) {
    // What the other slots leave; never below kt, for which the step above made room.
    LinearTiling unstaged = t;
    unstaged.x_in_shared = false;
    const auto left =
        static_cast<double>(shape.scratchpad_bytes - linear_needs(args, unstaged).scratchpad) /
        static_cast<double>(kStageSlots);
    const double column = static_cast<double>(t.mt) * core::mean_bytes_of(args.x.dtype);
    t.stage_cols = std::min(t.stage_cols, static_cast<std::int64_t>(left / column));
  }
  // A K step lies in exactly one chunk.
  if (t.stage_cols < k) t.stage_cols = std::max(t.kt, t.stage_cols / t.kt * t.kt);
}

// The next smaller tile; false: there is none.
bool shrink(const LinearArgs& args, LinearTiling& t) {
  if (t.nt > args.w.panel_rows) {
    t.nt = args.w.panel_rows;
  } else if (t.x_in_core) {
    t.x_in_core = false;
  } else if (t.mt > 1) {
    t.mt = ceil_div(t.mt, 2);
  } else if (t.accumulators > 1) {
    t.accumulators = 1;
  } else if (t.x_in_shared) {
    t.x_in_shared = false;
  } else {
    return false;
  }
  return true;
}

}  // namespace

LinearTiling choose_tiling(const isa::CoreShape& shape, const LinearArgs& args) {
  const std::int64_t m = args.x.rows;
  const std::int64_t x_row = core::bytes_of(args.x.dtype, args.w.k);
  const bool cached = shape.cached_bytes > 0 && shape.tile_rows == 0;
  LinearTiling t;
  if (cached) {
    choose_cached_tile(shape, args, t);
  } else {
    choose_managed_tile(shape, args, t);
  }
  t.x_in_shared = t.mt * x_row <= shape.shared_bytes;
  do {
    choose_k_step(shape, args, t);
    choose_stage(shape, args, t);
  } while (!shape.holds(linear_needs(args, t)) && shrink(args, t));

  const std::int64_t panel_bytes = t.mt * x_row;
  if (t.x_in_shared) {
    t.shared_panels = std::min(ceil_div(m, t.mt), shape.shared_bytes / panel_bytes);
  }
  if (cached) {
    // Half the cache keeps the rows of X that a group of row tiles reads again and again.
    t.wave_rows =
        std::clamp<std::int64_t>(shape.cached_bytes / (2 * panel_bytes), 1, ceil_div(m, t.mt));
  }
  const std::int64_t tiles = ceil_div(args.w.n, t.nt);
  t.x_reads = t.x_in_shared || t.wave_rows > 0 ? 1
              : t.x_in_core                    ? std::min(tiles, shape.cores)
                                               : tiles;
  return t;
}

double traffic_bytes(const LinearArgs& args, const LinearTiling& tiling) {
  const auto m = static_cast<double>(args.x.rows);
  const auto n = static_cast<double>(args.w.n);
  const auto row = [](core::DType dtype, std::int64_t columns) {
    return static_cast<double>(core::bytes_of(dtype, columns));
  };
  // A group of row tiles that shares the cache reads the weights once.
  const std::int64_t group = std::max<std::int64_t>(1, tiling.wave_rows);
  const auto row_tiles = static_cast<double>(ceil_div(ceil_div(args.x.rows, tiling.mt), group));
  double bytes = row(args.w.dtype, args.w.k) * n * row_tiles +
                 row(args.x.dtype, args.w.k) * m * static_cast<double>(tiling.x_reads) +
                 row(args.y.dtype, args.w.n) * m;
  if (args.residual) bytes += row(args.residual->dtype, args.w.n) * m;
  if (args.bias) bytes += row(args.bias->dtype, args.w.n) * row_tiles;
  return bytes;
}

}  // namespace ridgepoint::kernels
