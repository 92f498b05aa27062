// SPDX-License-Identifier: Apache-2.0
// Plain reference of a linear layer, and of the LM head, which is one with N = vocabulary.
// Shapes: M rows (tokens), K inputs, N outputs.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

// y[m, n] = sum over k of x[m, k] · weight[n, k], then + bias[n]. The sum runs over k upwards in
// fp32 from zero, whatever M is: a row's result does not depend on the other rows.
//   x [M, K]   weight [N, K]   bias [N] or empty   y [M, N], not x
// M = |x|/K and N = |weight|/K. FLOPs 2·M·N·K. CheckError where sizes do not fit.
void linear_reference(std::span<const float> x, std::span<const float> weight,
                      std::span<const float> bias, std::int64_t k, std::span<float> y);

}  // namespace ridgepoint::kernels
