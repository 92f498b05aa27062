// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/reference.hpp"

#include <algorithm>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void embedding_reference(std::span<const float> table, std::span<const std::int32_t> tokens,
                         std::int64_t d, std::span<float> out) {
  require(d > 0 && static_cast<std::int64_t>(table.size()) % d == 0,
          "embedding: table is not [V, d]");
  require_size(out.size(), static_cast<std::int64_t>(tokens.size()) * d, "embedding: out");
  const std::int64_t vocab = static_cast<std::int64_t>(table.size()) / d;
  for (std::size_t m = 0; m < tokens.size(); ++m) {
    require(tokens[m] >= 0 && tokens[m] < vocab, "embedding: token outside the vocabulary");
    const float* row = table.data() + tokens[m] * d;
    std::copy(row, row + d, out.data() + static_cast<std::int64_t>(m) * d);
  }
}

void add_positions_reference(std::span<const float> table, std::int64_t first_position,
                             std::int64_t d, std::span<float> x) {
  require(d > 0 && static_cast<std::int64_t>(x.size()) % d == 0, "positions: x is not [M, d]");
  const std::int64_t begin = first_position * d;
  require(first_position >= 0 && begin + static_cast<std::int64_t>(x.size()) <=
                                     static_cast<std::int64_t>(table.size()),
          "positions: past the table's last row");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += table[static_cast<std::size_t>(begin) + i];
}

}  // namespace ridgepoint::kernels
