// SPDX-License-Identifier: Apache-2.0
// Plain reference of rotary positions in interleaved order: dimensions 2i and 2i + 1 of a head form
// a pair that turns by position · theta^(-2i/rotary_dim).    (Su et al. 2021)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ridgepoint::kernels {

// cos and sin of every position and pair: [positions, rotary_dim/2] of {cos, sin}, computed in
// double and rounded once, so that the table is the same on every machine with a sound libm.
std::vector<float> make_rope_table(double theta, std::int64_t rotary_dim, std::int64_t positions);

// In place: (a, b) -> (a·cos - b·sin, a·sin + b·cos). Dimensions from rotary_dim on stay.
//   x [M, heads, head_dim]; row m is at position first_position + m
//   table of make_rope_table with the same rotary_dim and at least first_position + M positions
void rope_reference(std::span<float> x, std::int64_t heads, std::int64_t head_dim,
                    std::int64_t rotary_dim, std::int64_t first_position,
                    std::span<const float> table);

}  // namespace ridgepoint::kernels
