// SPDX-License-Identifier: Apache-2.0
#include "kernels/experts/routing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace ridgepoint::kernels {
namespace {

std::vector<double> popularity(std::int64_t experts, const ExpertLoads& loads,
                               core::SplitMix64& random) {
  const auto count = static_cast<std::size_t>(experts);
  if (!loads.weights.empty()) return loads.weights;
  std::vector<double> weights(count);
  for (std::size_t r = 0; r < count; ++r) {
    weights[r] = std::pow(static_cast<double>(r + 1), -loads.skew);
  }
  for (std::size_t i = count; i > 1; --i) std::swap(weights[i - 1], weights[random.next() % i]);
  return weights;
}

void check(std::int64_t experts, std::int64_t active, const std::vector<double>& weights) {
  const auto positive = std::count_if(weights.begin(), weights.end(),
                                      [](double w) { return w > 0 && std::isfinite(w); });
  const auto wrong = std::count_if(weights.begin(), weights.end(),
                                   [](double w) { return !(w >= 0) || !std::isfinite(w); });
  if (static_cast<std::int64_t>(weights.size()) == experts && positive >= active && wrong == 0) {
    return;
  }
  core::fail_input({}, "--expert-loads", std::to_string(weights.size()) + " numbers",
                   "do not fit a model of " + std::to_string(experts) + " experts of which " +
                       std::to_string(active) + " are active",
                   std::to_string(experts) + " numbers from 0, " + std::to_string(active) +
                       " or more of them above 0");
}

}  // namespace

Routing::Routing(std::int64_t tokens_count, std::int64_t experts_count, std::int64_t active_count)
    : tokens(tokens_count),
      experts(experts_count),
      active(active_count),
      expert(static_cast<std::size_t>(tokens * active)),
      gate(expert.size(), 1.0f / static_cast<float>(active)),
      token_of(expert.size()),
      entry_of(expert.size()),
      loads(static_cast<std::size_t>(experts)) {}

void Routing::sort() {
  std::fill(loads.begin(), loads.end(), 0);
  for (const std::uint32_t e : expert) ++loads[e];
  std::vector<std::int64_t> next(loads.size(), 0);
  std::exclusive_scan(loads.begin(), loads.end(), next.begin(), std::int64_t{0});
  for (std::size_t i = 0; i < expert.size(); ++i) {
    const auto entry = static_cast<std::size_t>(next[expert[i]]++);
    token_of[entry] = static_cast<std::uint32_t>(i / static_cast<std::size_t>(active));
    entry_of[i] = static_cast<std::uint32_t>(entry);
  }
}

std::vector<LinearGroup> Routing::groups() const {
  std::vector<LinearGroup> all;
  std::int64_t row = 0;
  for (std::size_t e = 0; e < loads.size(); ++e) {
    if (loads[e] > 0) all.push_back({static_cast<std::int64_t>(e), row, 0, loads[e], row, 0});
    row += loads[e];
  }
  return all;
}

Routing draw_routing(std::int64_t tokens, std::int64_t experts, std::int64_t active,
                     const ExpertLoads& loads) {
  core::SplitMix64 random(loads.seed);
  const std::vector<double> weights = popularity(experts, loads, random);
  check(experts, active, weights);
  Routing routing(tokens, experts, active);
  for (std::int64_t t = 0; t < tokens; ++t) {
    std::vector<double> left = weights;
    double sum = std::accumulate(left.begin(), left.end(), 0.0);
    for (std::int64_t j = 0; j < active; ++j) {
      double point = random.unit() * sum;
      std::size_t chosen = left.size();
      for (std::size_t e = 0; e < left.size(); ++e) {
        if (left[e] <= 0) continue;
        chosen = e;  // the last one possible, should rounding leave nothing
        point -= left[e];
        if (point < 0) break;
      }
      routing.expert[static_cast<std::size_t>(t * active + j)] = static_cast<std::uint32_t>(chosen);
      sum -= left[chosen];
      left[chosen] = 0;
    }
  }
  routing.sort();
  return routing;
}

}  // namespace ridgepoint::kernels
