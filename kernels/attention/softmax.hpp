// SPDX-License-Identifier: Apache-2.0
// The vector steps of tiled attention, on values. An output tile is [rows, head_dim + 2]: the
// unnormalised sum, then the running maximum m and the running sum l of each row.
#pragma once

#include <cstdint>

#include "sim/isa/command.hpp"

namespace ridgepoint::kernels {

// m = -inf, l = 0, sum = 0; with sinks m = sinks[r * sink_step], l = 1 for row r.
void clear_output(const isa::Tile& out, std::int64_t rows, std::int64_t dim,
                  const float* sinks = nullptr, std::int64_t sink_step = 0);

// For row r with keys [first_seen + r * step, end_seen + r * step) of this tile, within [0, keys):
// m' = max(m, max s), p = exp(s - m'), l = l exp(m - m') + sum p, out *= exp(m - m').
// `scores` are raw q.k; `scale` is 1/sqrt(head_dim). p is stored rounded to its tile's format.
struct SoftmaxStep {
  isa::Tile scores, p, out;
  std::int64_t rows = 0, keys = 0, dim = 0;
  std::int64_t first_seen = 0, end_seen = 0, step = 0;
  float scale = 1;
};
void softmax_step(const SoftmaxStep& step);

// out = sum / l.
void normalise(const isa::Tile& out, std::int64_t rows, std::int64_t dim);

// Adds another partial result of the same rows to `out`.
void merge_partial(const isa::Tile& out, const isa::Tile& partial, std::int64_t rows,
                   std::int64_t dim);

}  // namespace ridgepoint::kernels
