// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {
namespace {

float gelu(float x) {
  constexpr float kSqrt2OverPi = 0.7978845608f;
  return 0.5f * x * (1.0f + std::tanh(kSqrt2OverPi * (x + 0.044715f * x * x * x)));
}

float silu(float x) { return x / (1.0f + std::exp(-x)); }

}  // namespace

void swiglu_reference(std::span<const float> gate, std::span<const float> up,
                      std::span<float> out) {
  require_size(up.size(), static_cast<std::int64_t>(gate.size()), "swiglu: up");
  require_size(out.size(), static_cast<std::int64_t>(gate.size()), "swiglu: out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = silu(gate[i]) * up[i];
}

void geglu_reference(std::span<const float> gate, std::span<const float> up, std::span<float> out) {
  require_size(up.size(), static_cast<std::int64_t>(gate.size()), "geglu: up");
  require_size(out.size(), static_cast<std::int64_t>(gate.size()), "geglu: out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = gelu(gate[i]) * up[i];
}

void clamped_swiglu_reference(std::span<const float> gate, std::span<const float> up,
                              std::span<float> out) {
  require_size(up.size(), static_cast<std::int64_t>(gate.size()), "clamped swiglu: up");
  require_size(out.size(), static_cast<std::int64_t>(gate.size()), "clamped swiglu: out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float g = std::min(gate[i], 7.0f);
    const float u = std::max(-7.0f, std::min(up[i], 7.0f));
    out[i] = g / (1.0f + std::exp(-1.702f * g)) * (u + 1.0f);
  }
}

void gelu_reference(std::span<const float> x, std::span<float> out) {
  require_size(out.size(), static_cast<std::int64_t>(x.size()), "gelu: out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = gelu(x[i]);
}

}  // namespace ridgepoint::kernels
