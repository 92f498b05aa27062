// SPDX-License-Identifier: Apache-2.0
#include "sim/config/suggest.hpp"

#include <algorithm>
#include <vector>

namespace ridgepoint::config {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  // rows[i % 3][j]: distance of the first i characters of a to the first j of b.
  std::vector<std::vector<std::size_t>> rows(3, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  static constexpr std::size_t kLongest = 64;  // longer text is no typing mistake
  if (name.empty() || name.size() > kLongest) return {};
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t far = distance(name, candidate);
    if (far < best) {
      best = far;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string with_suggestion(const std::string& what, std::string_view name,
                            std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() || nearest == name ? what : what + " (did you mean '" + nearest + "'?)";
}

}  // namespace ridgepoint::config
