// SPDX-License-Identifier: Apache-2.0
// Which position a row of the batch stands at, and the rotation of one head there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kv_cache.hpp"

namespace ridgepoint::kernels {

// The sequence that owns batch row `row`; sequences stand in order of row0.
const Sequence& owner(const std::vector<Sequence>& sequences, std::int64_t row);

inline std::int64_t position_of(const Sequence& sequence, std::int64_t row) {
  return sequence.context - sequence.new_tokens + (row - sequence.row0);
}

// Rotary positions (Su et al. 2021) on the pairs 2i, 2i + 1 of the first rotary_dim numbers.
void rotate(float* head, std::int64_t rotary_dim, std::int64_t position, double theta);

// Lengths of the new parts, for kernel keys.
std::string runs_of(const std::vector<Sequence>& sequences);

}  // namespace ridgepoint::kernels
