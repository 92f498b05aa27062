// SPDX-License-Identifier: Apache-2.0
// Plain reference of a grouped linear layer: for every row its own group's matrix.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

// y[i, n] = sum over k of x[row_of[i], k] * w[group_of[i], n, k] + bias[group_of[i], n], k upwards
// in fp32 from zero; transposed: w[group_of[i], k, n].
//   x [R, K]   w [G, N, K] or [G, K, N]   bias [G, N] or empty   y [|row_of|, N]
void grouped_reference(std::span<const float> x, std::span<const float> w,
                       std::span<const float> bias, std::span<const std::int64_t> row_of,
                       std::span<const std::int64_t> group_of, std::int64_t n, std::int64_t k,
                       bool transposed, std::span<float> y);

}  // namespace ridgepoint::kernels
