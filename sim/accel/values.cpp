// SPDX-License-Identifier: Apache-2.0
#include "sim/accel/values.hpp"

#include <algorithm>
#include <vector>

namespace ridgepoint::accel {
namespace {

constexpr std::int64_t kLanes = 16;  // outputs kept in registers

// Columns [n0, n0 + width) of b as [k, kLanes], zero padded: unit stride for the inner loop.
void pack(const isa::MatrixOp& op, std::int64_t n0, std::int64_t width, float* packed) {
  for (std::int64_t k = 0; k < op.k; ++k) {
    for (std::int64_t j = 0; j < kLanes; ++j) {
      float value = 0;
      if (j < width) {
        value = op.b_is_kn ? op.b.values[k * op.b.cols + n0 + j]
                           : op.b.values[(n0 + j) * op.b.cols + k];
      }
      packed[k * kLanes + j] = value;
    }
  }
}

void row_times_panel(const float* a, std::int64_t k_count, const float* packed, float* sums) {
  float c[kLanes];
  std::copy(sums, sums + kLanes, c);
  for (std::int64_t k = 0; k < k_count; ++k) {
    const float value = a[k];
    const float* row = packed + k * kLanes;
    for (std::int64_t j = 0; j < kLanes; ++j) c[j] += value * row[j];
  }
  std::copy(c, c + kLanes, sums);
}

}  // namespace

void multiply(const isa::MatrixOp& op) {
  std::vector<float> packed(static_cast<std::size_t>(op.k * kLanes));
  for (std::int64_t n0 = 0; n0 < op.n; n0 += kLanes) {
    const std::int64_t width = std::min(kLanes, op.n - n0);
    pack(op, n0, width, packed.data());
    for (std::int64_t m = 0; m < op.m; ++m) {
      float sums[kLanes] = {};
      float* out = op.acc.values + m * op.acc.cols + n0;
      if (op.accumulate) std::copy(out, out + width, sums);
      row_times_panel(op.a.values + m * op.a.cols, op.k, packed.data(), sums);
      std::copy(sums, sums + width, out);
    }
  }
}

}  // namespace ridgepoint::accel
