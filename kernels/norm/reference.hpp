// SPDX-License-Identifier: Apache-2.0
// Plain references of the norms. Shapes: M rows of width d; M follows from x. Sums run over i
// upwards in fp32.
#pragma once

#include <span>

namespace ridgepoint::kernels {

// out[m, i] = weight[i] · (x[m, i] / sqrt(mean_i x² + eps)).    (Zhang, Sennrich 2019)
//   x [M, d]   weight [d]   out [M, d], may be x
void rmsnorm_reference(std::span<const float> x, std::span<const float> weight, float eps,
                       std::span<float> out);

// out[m, i] = weight[i] · (x[m, i] - mean) / sqrt(variance + eps) + bias[i].  (Ba, Kiros, Hinton
// 2016); the variance is the mean square of x - mean.
//   x [M, d]   weight [d]   bias [d]   out [M, d], may be x
void layernorm_reference(std::span<const float> x, std::span<const float> weight,
                         std::span<const float> bias, float eps, std::span<float> out);

}  // namespace ridgepoint::kernels
