// SPDX-License-Identifier: Apache-2.0
// Y[M, N] = X[M, K] * W[N, K]^T (+ bias[N]) (+ R[M, N]), tiled over all cores; M = 1 is the same
// source. A weight narrower than X is widened to X's format on the vector engine. Accumulation is
// fp32 in ascending K, so a row's bits do not depend on M or on the tiling.
#pragma once

#include <optional>
#include <string>

#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

struct LinearArgs {
  Tensor x;                        // [M, >= K]; the first K columns
  Weight w;                        // [N, K]
  Tensor y;                        // [M, N]
  std::optional<Tensor> bias;      // [1, N]
  std::optional<Tensor> residual;  // [M, N]; may be y itself
};

// Output tiles of mt x nt; K in steps of kt. One tile's accumulators never leave the core (S = 1).
struct LinearTiling {
  std::int64_t mt = 0, nt = 0, kt = 0;
  bool x_in_shared = false;     // X panel staged once in the shared memory: R = 1
  bool x_in_core = false;       // a core keeps [mt, K] of X: loaded once per row tile, not per tile
  std::int64_t stage_cols = 0;  // columns of X staged by one command
  std::int64_t accumulators = 1;   // 2: the epilogue of one tile overlaps the next
  std::int64_t shared_panels = 1;  // row tiles of X that fit the shared memory at once
  std::int64_t x_reads = 1;        // R of the traffic formula
  // Above 0: tiles of all row tiles go round the cores together, this many row tiles by all
  // columns, then the next; operands are cached.
  std::int64_t wave_rows = 0;
  std::int64_t begin_elements = 0;  // vector work before such a tile,
  bool stays = false;               // or before a core's first one only
};
// Rows of X that one pass over the weights serves: what two accumulators of one panel hold and the
// scratchpad can feed.
std::int64_t most_tile_rows(const isa::CoreShape& shape, std::int64_t panel, core::DType w,
                            core::DType x, bool bias);
// The smallest tiling where none fits.
LinearTiling choose_tiling(const isa::CoreShape& shape, const LinearArgs& args);
isa::CoreBytes linear_needs(const LinearArgs& args, const LinearTiling& tiling);

// E*(N*K*ceil(M/mt) + M*K*R + M*N): HBM bytes of the tiling, by operand formats; plus bias and
// residual where present.
double traffic_bytes(const LinearArgs& args, const LinearTiling& tiling);

// Throws SimulationError when shapes do not agree.
isa::Kernel linear(const isa::CoreShape& shape, const LinearArgs& args, const std::string& name);

}  // namespace ridgepoint::kernels
