// SPDX-License-Identifier: Apache-2.0
#include "kernels/positions.hpp"

#include <algorithm>
#include <cmath>

namespace ridgepoint::kernels {

const Sequence& owner(const std::vector<Sequence>& sequences, std::int64_t row) {
  const auto after = std::upper_bound(
      sequences.begin(), sequences.end(), row,
      [](std::int64_t value, const Sequence& sequence) { return value < sequence.row0; });
  return *std::prev(after);
}

void rotate(float* head, std::int64_t rotary_dim, std::int64_t position, double theta) {
  for (std::int64_t i = 0; i < rotary_dim; i += 2) {
    const double frequency =
        std::pow(theta, -static_cast<double>(i) / static_cast<double>(rotary_dim));
    const double angle = static_cast<double>(position) * frequency;
    const auto cosine = static_cast<float>(std::cos(angle));
    const auto sine = static_cast<float>(std::sin(angle));
    const float even = head[i];
    const float odd = head[i + 1];
    head[i] = even * cosine - odd * sine;
    head[i + 1] = even * sine + odd * cosine;
  }
}

std::string runs_of(const std::vector<Sequence>& sequences) {
  std::string text;
  std::size_t same = 0;
  for (std::size_t i = 0; i < sequences.size(); i += same) {
    const std::int64_t length = sequences[i].new_tokens;
    for (same = 1; i + same < sequences.size() && sequences[i + same].new_tokens == length;) {
      ++same;
    }
    text += std::to_string(same) + 'x' + std::to_string(length) + ',';
  }
  return text;
}

}  // namespace ridgepoint::kernels
