// SPDX-License-Identifier: Apache-2.0
#include "kernels/rope/reference.hpp"

#include <cmath>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

std::vector<float> make_rope_table(double theta, std::int64_t rotary_dim, std::int64_t positions) {
  require(theta > 0 && rotary_dim >= 2 && rotary_dim % 2 == 0 && positions >= 0,
          "rope: theta must be positive, rotary_dim even");
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(positions * rotary_dim));
  for (std::int64_t position = 0; position < positions; ++position) {
    for (std::int64_t i = 0; i < rotary_dim; i += 2) {
      const double exponent = -static_cast<double>(i) / static_cast<double>(rotary_dim);
      const double angle = static_cast<double>(position) * std::pow(theta, exponent);
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

void rope_reference(std::span<float> x, std::int64_t heads, std::int64_t head_dim,
                    std::int64_t rotary_dim, std::int64_t first_position,
                    std::span<const float> table) {
  require(heads > 0 && head_dim >= rotary_dim && rotary_dim % 2 == 0, "rope: sizes do not fit");
  const std::int64_t width = heads * head_dim;
  require(static_cast<std::int64_t>(x.size()) % width == 0, "rope: x is not [M, heads, head_dim]");
  const std::int64_t rows = static_cast<std::int64_t>(x.size()) / width;
  require(first_position >= 0 &&
              (first_position + rows) * rotary_dim <= static_cast<std::int64_t>(table.size()),
          "rope: past the table's last position");
  for (std::int64_t m = 0; m < rows; ++m) {
    const float* turn = table.data() + (first_position + m) * rotary_dim;
    for (std::int64_t head = 0; head < heads; ++head) {
      float* pair = x.data() + m * width + head * head_dim;
      for (std::int64_t i = 0; i < rotary_dim; i += 2) {
        const float a = pair[i];
        const float b = pair[i + 1];
        pair[i] = a * turn[i] - b * turn[i + 1];
        pair[i + 1] = a * turn[i + 1] + b * turn[i];
      }
    }
  }
}

}  // namespace ridgepoint::kernels
