// SPDX-License-Identifier: Apache-2.0
// Plain references of the choice of experts and of the weighted sum of their outputs.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

// For each row the `active` largest logits, largest first (ties: the lower number), and the softmax
// over them (Jiang et al. 2024, Mixtral).   logits [T, E]   expert, gate [T, active]
void top_k_reference(std::span<const float> logits, std::int64_t experts, std::int64_t active,
                     std::span<std::int64_t> expert, std::span<float> gate);

// x[t] += sum over j of gate[t, j] * y[t, j].   y [T, active, d]   gate [T, active]   x [T, d]
void combine_reference(std::span<const float> y, std::span<const float> gate, std::int64_t active,
                       std::int64_t d, std::span<float> x);

}  // namespace ridgepoint::kernels
