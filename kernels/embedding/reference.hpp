// SPDX-License-Identifier: Apache-2.0
// Plain reference of the embedding look-up. Shapes: M tokens, d model width, V vocabulary.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

// out[m, :] = table[tokens[m], :].
//   table [V, d]   tokens [M], each 0 to V-1   out [M, d]
// CheckError where a size or a token does not fit.
void embedding_reference(std::span<const float> table, std::span<const std::int32_t> tokens,
                         std::int64_t d, std::span<float> out);

// x[m, :] += table[first_position + m, :], the learned positions of GPT-2.
//   table [C, d]   x [M, d], first_position + M <= C
void add_positions_reference(std::span<const float> table, std::int64_t first_position,
                             std::int64_t d, std::span<float> x);

}  // namespace ridgepoint::kernels
