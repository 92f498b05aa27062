// SPDX-License-Identifier: Apache-2.0
// Plain references of the feed-forward activations, element by element; out may be an input.
#pragma once

#include <span>

namespace ridgepoint::kernels {

// out = gate · sigmoid(gate) · up    (Shazeer 2020, SwiGLU).  All of one size.
void swiglu_reference(std::span<const float> gate, std::span<const float> up, std::span<float> out);

// out = gelu(gate) · up    (GeGLU, tanh form)
void geglu_reference(std::span<const float> gate, std::span<const float> up, std::span<float> out);

// out = g · sigmoid(1.702 g) · (u + 1), g = min(gate, 7), u = up clamped to -7..7    (gpt-oss)
void clamped_swiglu_reference(std::span<const float> gate, std::span<const float> up,
                              std::span<float> out);

// out = x/2 · (1 + tanh(sqrt(2/pi) · (x + 0.044715 x³)))    (Hendrycks, Gimpel 2016, tanh form)
void gelu_reference(std::span<const float> x, std::span<float> out);

}  // namespace ridgepoint::kernels
