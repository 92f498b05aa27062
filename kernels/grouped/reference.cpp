// SPDX-License-Identifier: Apache-2.0
#include "kernels/grouped/reference.hpp"

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void grouped_reference(std::span<const float> x, std::span<const float> w,
                       std::span<const float> bias, std::span<const std::int64_t> row_of,
                       std::span<const std::int64_t> group_of, std::int64_t n, std::int64_t k,
                       bool transposed, std::span<float> y) {
  require(row_of.size() == group_of.size(), "grouped: a row without a group");
  require_size(y.size(), static_cast<std::int64_t>(row_of.size()) * n, "grouped: y");
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    const float* in = x.data() + row_of[i] * k;
    const float* matrix = w.data() + group_of[i] * n * k;
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        sum += in[p] * matrix[transposed ? p * n + j : j * k + p];
      }
      if (!bias.empty()) sum += bias[static_cast<std::size_t>(group_of[i] * n + j)];
      y[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)] = sum;
    }
  }
}

}  // namespace ridgepoint::kernels
