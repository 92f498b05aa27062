// SPDX-License-Identifier: Apache-2.0
#include "kernels/experts/reference.hpp"

#include <cmath>
#include <vector>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void top_k_reference(std::span<const float> logits, std::int64_t experts, std::int64_t active,
                     std::span<std::int64_t> expert, std::span<float> gate) {
  require(experts > 0 && active > 0 && active <= experts, "top_k: active is not in 1..experts");
  const std::int64_t tokens = static_cast<std::int64_t>(logits.size()) / experts;
  require_size(expert.size(), tokens * active, "top_k: expert");
  require_size(gate.size(), tokens * active, "top_k: gate");
  for (std::int64_t t = 0; t < tokens; ++t) {
    const float* row = logits.data() + t * experts;
    std::vector<bool> taken(static_cast<std::size_t>(experts));
    float sum = 0;
    for (std::int64_t j = 0; j < active; ++j) {
      std::int64_t best = -1;
      for (std::int64_t e = 0; e < experts; ++e) {
        if (!taken[static_cast<std::size_t>(e)] && (best < 0 || row[e] > row[best])) best = e;
      }
      taken[static_cast<std::size_t>(best)] = true;
      const auto at = static_cast<std::size_t>(t * active + j);
      expert[at] = best;
      gate[at] = std::exp(row[best] - row[expert[static_cast<std::size_t>(t * active)]]);
      sum += gate[at];
    }
    for (std::int64_t j = 0; j < active; ++j) gate[static_cast<std::size_t>(t * active + j)] /= sum;
  }
}

void combine_reference(std::span<const float> y, std::span<const float> gate, std::int64_t active,
                       std::int64_t d, std::span<float> x) {
  require_size(y.size(), static_cast<std::int64_t>(gate.size()) * d, "combine: y");
  require_size(x.size() * static_cast<std::size_t>(active), static_cast<std::int64_t>(y.size()),
               "combine: x");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t t = i / static_cast<std::size_t>(d), c = i % static_cast<std::size_t>(d);
    float sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(active); ++j) {
      const std::size_t pair = t * static_cast<std::size_t>(active) + j;
      sum += gate[pair] * y[pair * static_cast<std::size_t>(d) + c];
    }
    x[i] += sum;
  }
}

}  // namespace ridgepoint::kernels
