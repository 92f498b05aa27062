// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/narrow_formats.hpp"

namespace ridgepoint::kernels {
void clear_output(const isa::Tile& out, std::int64_t rows, std::int64_t dim, const float* sinks,
                  std::int64_t sink_step) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float* row = out.values + r * out.cols;
    std::fill_n(row, dim, 0.0f);
    row[dim] = sinks != nullptr ? sinks[r * sink_step] : -std::numeric_limits<float>::infinity();
    row[dim + 1] = sinks != nullptr ? 1.0f : 0.0f;
  }
}

void softmax_step(const SoftmaxStep& step) {
  for (std::int64_t r = 0; r < step.rows; ++r) {
    const std::int64_t shift = r * step.step;
    const std::int64_t first = std::clamp<std::int64_t>(step.first_seen + shift, 0, step.keys);
    const std::int64_t end = std::clamp<std::int64_t>(step.end_seen + shift, first, step.keys);
    const float* s = step.scores.values + r * step.scores.cols;
    float* p = step.p.values + r * step.p.cols;
    float* out = step.out.values + r * step.out.cols;
    float& m = out[step.dim];
    float& l = out[step.dim + 1];
    std::fill_n(p, step.keys, 0.0f);
    if (first == end) continue;  // the row sees nothing of this tile: nothing changes
    float peak = m;
    for (std::int64_t k = first; k < end; ++k) peak = std::max(peak, s[k] * step.scale);
    const float shrink = std::exp(m - peak);
    float sum = l * shrink;
    for (std::int64_t k = first; k < end; ++k) {
      p[k] = core::rounded_to(step.p.dtype, std::exp(s[k] * step.scale - peak));
      sum += p[k];
    }
    for (std::int64_t d = 0; d < step.dim; ++d) out[d] *= shrink;
    m = peak;
    l = sum;
  }
}

void normalise(const isa::Tile& out, std::int64_t rows, std::int64_t dim) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float* row = out.values + r * out.cols;
    for (std::int64_t d = 0; d < dim; ++d) row[d] /= row[dim + 1];
  }
}

void merge_partial(const isa::Tile& out, const isa::Tile& partial, std::int64_t rows,
                   std::int64_t dim) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float* a = out.values + r * out.cols;
    const float* b = partial.values + r * partial.cols;
    const float peak = std::max(a[dim], b[dim]);
    if (peak == -std::numeric_limits<float>::infinity()) continue;  // neither has seen a key
    const float scale_a = std::exp(a[dim] - peak);
    const float scale_b = std::exp(b[dim] - peak);
    for (std::int64_t d = 0; d < dim; ++d) a[d] = a[d] * scale_a + b[d] * scale_b;
    a[dim + 1] = a[dim + 1] * scale_a + b[dim + 1] * scale_b;
    a[dim] = peak;
  }
}

}  // namespace ridgepoint::kernels
