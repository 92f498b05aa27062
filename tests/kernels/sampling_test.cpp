// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/sampling/reference.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::kernels {
namespace {

TEST(Sampling, GreedyTakesTheFirstOfEqualLogits) {
  EXPECT_EQ(greedy_reference(std::vector<float>{-1, 3, 2, 3}), 1);
  EXPECT_EQ(sample_reference(std::vector<float>{-1, 3, 2, 3}, {}, 7), 1);
  EXPECT_THROW(greedy_reference({}), core::CheckError);
  EXPECT_THROW(greedy_reference(std::vector<float>{0, std::nanf("")}), core::CheckError);
}

TEST(Sampling, FrequenciesAreTheSoftmax) {
  const std::vector<float> logits{0, 1, 2, -1};
  const SamplingConfig config{.temperature = 0.5, .top_p = 1, .seed = 42};
  constexpr int kDraws = 40000;
  std::vector<int> counts(4);
  for (int step = 0; step < kDraws; ++step) {
    ++counts[static_cast<std::size_t>(
        sample_reference(logits, config, static_cast<std::uint64_t>(step)))];
  }
  double total = 0;
  for (const float logit : logits) total += std::exp(double{logit} / 0.5);
  for (std::size_t i = 0; i < 4; ++i) {
    const double p = std::exp(double{logits[i]} / 0.5) / total;
    const double sigma = std::sqrt(kDraws * p * (1 - p));
    EXPECT_NEAR(counts[i], kDraws * p, 5 * sigma) << i;
  }
}

TEST(Sampling, NucleusIsTheSmallestSetOfThatProbability) {
  // Probabilities 0.5, 0.3, 0.2.
  const std::vector<float> logits{std::log(0.3f), std::log(0.5f), std::log(0.2f)};
  const auto drawn = [&](double top_p) {
    std::vector<bool> seen(3);
    for (std::uint64_t step = 0; step < 2000; ++step) {
      seen[static_cast<std::size_t>(sample_reference(logits, {1, top_p, 5}, step))] = true;
    }
    return seen;
  };
  EXPECT_EQ(drawn(0.4), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(drawn(0.6), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(drawn(0.79), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(drawn(0.9), (std::vector<bool>{true, true, true}));
}

TEST(Sampling, SeedAndStepDecideTheDraw) {
  const std::vector<float> logits(64, 0.0f);
  const auto sequence = [&](std::uint64_t seed) {
    std::vector<std::int32_t> tokens;
    for (std::uint64_t step = 0; step < 32; ++step) {
      tokens.push_back(sample_reference(logits, {1, 1, seed}, step));
    }
    return tokens;
  };
  EXPECT_EQ(sequence(1), sequence(1));
  EXPECT_NE(sequence(1), sequence(2));
  const std::vector<std::int32_t> one = sequence(1);
  EXPECT_NE(one, std::vector<std::int32_t>(32, one[0]));
}

TEST(Sampling, BadSettingsAreInputErrors) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const SamplingConfig& bad :
       {SamplingConfig{-0.1, 1, 0}, SamplingConfig{std::nan(""), 1, 0},
        SamplingConfig{infinite, 1, 0}, SamplingConfig{1, 0, 0}, SamplingConfig{1, 1.01, 0},
        SamplingConfig{1, std::nan(""), 0}}) {
    EXPECT_THROW(check_sampling(bad), core::InputError);
    EXPECT_THROW(sample_reference(std::vector<float>{1, 2}, bad, 0), core::InputError);
  }
  EXPECT_NO_THROW(check_sampling({0, 1, 0}));
}

}  // namespace
}  // namespace ridgepoint::kernels
