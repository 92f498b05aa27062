// SPDX-License-Identifier: Apache-2.0
// The feed-forward non-linearity. SwiGLU (Shazeer 2020): y = silu(gate) * up. GeGLU: gelu(gate) *
// up. GELU: y = gelu(x). gelu is the tanh form (Hendrycks & Gimpel 2016). Clamped SwiGLU (gpt-oss):
// y = g sigmoid(1.702 g) (u + 1) with g = min(gate, 7), u = up within -7..7.
#pragma once

#include <string>

#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

enum class Nonlinearity : std::uint8_t { kSwiGlu, kGeGlu, kGelu, kSwiGluClamped };

struct ActivationArgs {
  Nonlinearity kind = Nonlinearity::kSwiGlu;
  Tensor x;  // [T, 2 f]: gate columns, then up columns; GELU: [T, f]
  Tensor y;  // [T, f]
};

isa::Kernel activation(const isa::CoreShape& shape, const ActivationArgs& args,
                       const std::string& name);

}  // namespace ridgepoint::kernels
