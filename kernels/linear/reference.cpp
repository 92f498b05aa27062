// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/reference.hpp"

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void linear_reference(std::span<const float> x, std::span<const float> weight,
                      std::span<const float> bias, std::int64_t k, std::span<float> y) {
  const auto width = static_cast<std::size_t>(k);
  require(k > 0 && x.size() % width == 0, "linear: x is not [M, K]");
  require(weight.size() % width == 0, "linear: weight is not [N, K]");
  const std::size_t rows = x.size() / width;
  const std::size_t outputs = weight.size() / width;
  require_size(y.size(), static_cast<std::int64_t>(rows * outputs), "linear: y");
  if (!bias.empty()) require_size(bias.size(), static_cast<std::int64_t>(outputs), "linear: bias");
  for (std::size_t m = 0; m < rows; ++m) {
    const float* in = &x[m * width];
    for (std::size_t n = 0; n < outputs; ++n) {
      const float* w = &weight[n * width];
      float sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += in[i] * w[i];
      y[m * outputs + n] = bias.empty() ? sum : sum + bias[n];
    }
  }
}

}  // namespace ridgepoint::kernels
