// SPDX-License-Identifier: Apache-2.0
#include "kernels/norm/reference.hpp"

#include <cmath>
#include <cstdint>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void rmsnorm_reference(std::span<const float> x, std::span<const float> weight, float eps,
                       std::span<float> out) {
  const std::size_t d = weight.size();
  require(d > 0 && x.size() % d == 0, "rmsnorm: x is not [M, d]");
  require_size(out.size(), static_cast<std::int64_t>(x.size()), "rmsnorm: out");
  for (std::size_t row = 0; row < x.size(); row += d) {
    float squares = 0;
    for (std::size_t i = 0; i < d; ++i) squares += x[row + i] * x[row + i];
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(d) + eps);
    for (std::size_t i = 0; i < d; ++i) out[row + i] = weight[i] * (x[row + i] * scale);
  }
}

void layernorm_reference(std::span<const float> x, std::span<const float> weight,
                         std::span<const float> bias, float eps, std::span<float> out) {
  const std::size_t d = weight.size();
  require(d > 0 && x.size() % d == 0, "layernorm: x is not [M, d]");
  require_size(bias.size(), static_cast<std::int64_t>(d), "layernorm: bias");
  require_size(out.size(), static_cast<std::int64_t>(x.size()), "layernorm: out");
  for (std::size_t row = 0; row < x.size(); row += d) {
    float sum = 0;
    for (std::size_t i = 0; i < d; ++i) sum += x[row + i];
    const float mean = sum / static_cast<float>(d);
    float squares = 0;
    for (std::size_t i = 0; i < d; ++i) squares += (x[row + i] - mean) * (x[row + i] - mean);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(d) + eps);
    for (std::size_t i = 0; i < d; ++i) {
      out[row + i] = weight[i] * ((x[row + i] - mean) * scale) + bias[i];
    }
  }
}

}  // namespace ridgepoint::kernels
