// SPDX-License-Identifier: Apache-2.0
#include "kernels/sampling/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/require.hpp"
#include "sim/core/random.hpp"

namespace ridgepoint::kernels {

void check_sampling(const SamplingConfig& config) {
  if (!std::isfinite(config.temperature) || config.temperature < 0) {
    core::fail_input({}, "--temperature", std::to_string(config.temperature), "is out of range",
                     "0 (greedy) or a positive number");
  }
  if (!(config.top_p > 0 && config.top_p <= 1)) {
    core::fail_input({}, "--top-p", std::to_string(config.top_p), "is out of range",
                     "above 0, up to 1");
  }
}

std::int32_t greedy_reference(std::span<const float> logits) {
  require(!logits.empty(), "sampling: no logits");
  std::size_t best = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    require(!std::isnan(logits[i]), "sampling: a logit is not a number");
    if (logits[i] > logits[best]) best = i;
  }
  return static_cast<std::int32_t>(best);
}

std::int32_t sample_reference(std::span<const float> logits, const SamplingConfig& config,
                              std::uint64_t step) {
  check_sampling(config);
  const std::int32_t best = greedy_reference(logits);
  if (config.temperature == 0) return best;

  const double largest = logits[static_cast<std::size_t>(best)];
  std::vector<double> weight;
  for (const float logit : logits) {
    weight.push_back(std::exp((double{logit} - largest) / config.temperature));
  }
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto weight_of = [&](std::int32_t id) { return weight[static_cast<std::size_t>(id)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return weight_of(a) > weight_of(b); });

  double total = 0;
  for (const std::int32_t id : order) total += weight_of(id);
  double nucleus = 0;
  std::size_t kept = 0;
  while (kept < order.size() && (kept == 0 || nucleus < config.top_p * total)) {
    nucleus += weight_of(order[kept++]);
  }

  // Two draws apart for neighbouring seeds and steps: the seed's stream is hashed with the step.
  const std::uint64_t stream = core::SplitMix64(config.seed).next();
  const double target = core::SplitMix64(stream ^ step).unit() * nucleus;
  double below = 0;
  for (std::size_t i = 0; i + 1 < kept; ++i) {
    below += weight_of(order[i]);
    if (target < below) return order[i];
  }
  return order[kept - 1];
}

}  // namespace ridgepoint::kernels
