// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridgepoint::kernels {
namespace {

float rounded(float value, core::DType dtype) {
  switch (dtype) {
    case core::DType::kFp16:
      return core::float_from_fp16(core::fp16_from_float(value));
    case core::DType::kBf16:
      return core::float_from_bf16(core::bf16_from_float(value));
    default:
      return value;
  }
}

}  // namespace

void clear_output(const isa::Tile& out, std::int64_t rows, std::int64_t dim) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float* row = out.values + r * out.cols;
    std::fill_n(row, dim, 0.0f);
    row[dim] = -std::numeric_limits<float>::infinity();
    row[dim + 1] = 0;
  }
}

void softmax_step(const SoftmaxStep& step) {
  for (std::int64_t r = 0; r < step.rows; ++r) {
    const std::int64_t visible =
        std::clamp<std::int64_t>(step.first_visible + r * step.step, 0, step.keys);
    const float* s = step.scores.values + r * step.scores.cols;
    float* p = step.p.values + r * step.p.cols;
    float* out = step.out.values + r * step.out.cols;
    float& m = out[step.dim];
    float& l = out[step.dim + 1];
    std::fill_n(p, step.keys, 0.0f);
    if (visible == 0) continue;  // this tile is wholly in the row's future: nothing changes
    float peak = m;
    for (std::int64_t k = 0; k < visible; ++k) peak = std::max(peak, s[k] * step.scale);
    const float shrink = std::exp(m - peak);
    float sum = l * shrink;
    for (std::int64_t k = 0; k < visible; ++k) {
      p[k] = rounded(std::exp(s[k] * step.scale - peak), step.p.dtype);
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
    const float scale_a = std::exp(a[dim] - peak);
    const float scale_b = std::exp(b[dim] - peak);
    for (std::int64_t d = 0; d < dim; ++d) a[d] = a[d] * scale_a + b[d] * scale_b;
    a[dim + 1] = a[dim + 1] * scale_a + b[dim + 1] * scale_b;
    a[dim] = peak;
  }
}

}  // namespace ridgepoint::kernels
