// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation/reference.hpp"

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

void gelu_reference(std::span<const float> x, std::span<float> out) {
  require_size(out.size(), static_cast<std::int64_t>(x.size()), "gelu: out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = gelu(x[i]);
}

}  // namespace ridgepoint::kernels
