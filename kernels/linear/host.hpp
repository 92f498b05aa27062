// SPDX-License-Identifier: Apache-2.0
// A linear layer on the computer this runs on, vectorised, one thread: what the benchmarks hold
// against that computer's own roof. The simulated machine never calls it.
// Shapes: M rows (tokens), K inputs, N outputs.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

// y[m, n] = sum over k of x[m, k] · weight[n, k] in fp32; the order of the sum is the vectors', so
// the last bits differ from linear_reference.
//   x [M, K]   weight [N, K]   y [M, N], not x
// M = |x|/K and N = |weight|/K; FLOPs 2·M·N·K. Few rows are a GEMV each; for many, panels of
// weights are packed for the cache. CheckError where sizes do not fit.
void linear_host(std::span<const float> x, std::span<const float> weight, std::int64_t k,
                 std::span<float> y);

}  // namespace ridgepoint::kernels
