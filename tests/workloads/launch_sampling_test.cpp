// SPDX-License-Identifier: Apache-2.0
// Which launches stand for all: enough for the step's time, and no more than that.
#include "workloads/step/launch_sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ridgepoint::workloads {
namespace {

TEST(LaunchSampling, TheFirstFewLaunchesLieFarApart) {
  EXPECT_EQ(spread_order(1), (std::vector<std::size_t>{0}));
  for (const std::size_t launches : {2u, 7u, 32u, 61u}) {
    std::vector<std::size_t> order = spread_order(launches);
    EXPECT_EQ(order[1], launches / 2);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> all(launches);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(order, all);
  }
}

TEST(LaunchSampling, FewOfLongKernelsAndAllOfShortOnesAtFirst) {
  const std::vector<Stratum> strata{{32, 235e6, {}}, {32, 8e6, {}}, {30, 1e4, {}}, {1, 1e9, {}}};
  EXPECT_EQ(launches_wanted(strata), (std::vector<std::size_t>{3, 7, 30, 1}));
  EXPECT_TRUE(launches_wanted({}).empty());
}

TEST(LaunchSampling, EqualLaunchesAreEnough) {
  const std::vector<Stratum> strata{{32, 235e6, {100, 100, 100}}, {32, 1e9, {10, 10, 10}}};
  const std::vector<std::size_t> wanted = launches_wanted(strata);
  EXPECT_EQ(wanted[1], 3u);
  EXPECT_LE(wanted[0], 12u);  // by chance three may be alike
  EXPECT_EQ(sampling_error(std::vector<Stratum>{{3, 1e9, {7, 8, 9}}}), 0);  // all are known
}

TEST(LaunchSampling, MoreWhereTheyTellMoreForTheirHostTime) {
  const std::vector<double> varied{100, 104, 96, 100};
  const std::vector<Stratum> strata{{64, 30e6, varied}, {64, 120e6, varied}};
  const std::vector<std::size_t> wanted = launches_wanted(strata);
  EXPECT_GT(wanted[0], wanted[1]);
  EXPECT_GT(wanted[1], 4u);
}

// Steps of kernels whose launches differ by up to some per cent, in two modes or evenly.
TEST(LaunchSampling, TheErrorIsWhatItSays) {
  std::mt19937_64 random(5);
  double squares = 0;
  std::size_t simulated = 0;
  constexpr int kSteps = 400;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Stratum> strata;
    std::vector<std::vector<double>> cycles;
    double truth = 0;
    for (int kernel = 0; kernel < 6; ++kernel) {
      const double share = 0.001 * static_cast<double>(random() % 40);
      const double typical = 1000 + static_cast<double>(random() % 100000);
      std::vector<double>& all = cycles.emplace_back();
      for (int launch = 0; launch < 48; ++launch) {
        const double draw = static_cast<double>(random() % 1001) / 500 - 1;
        const double deviation = kernel % 2 == 0 ? draw : (draw > 0.5 ? 1.5 : -0.5);
        all.push_back(typical * (1 + share * deviation));
        truth += all.back();
      }
      strata.push_back({all.size(), 1e6 * static_cast<double>(random() % 100), {}});
    }
    for (bool more = true; more;) {
      const std::vector<std::size_t> wanted = launches_wanted(strata);
      more = false;
      for (std::size_t i = 0; i < strata.size(); ++i) {
        for (std::size_t at = strata[i].cycles.size(); at < wanted[i]; ++at, more = true) {
          strata[i].cycles.push_back(cycles[i][spread_order(48)[at]]);
        }
      }
    }
    EXPECT_LE(sampling_error(strata), kSamplingError);
    double estimate = 0;
    for (const Stratum& stratum : strata) {
      const double sum = std::accumulate(stratum.cycles.begin(), stratum.cycles.end(), 0.0);
      estimate += 48 * sum / static_cast<double>(stratum.cycles.size());
      simulated += stratum.cycles.size();
    }
    const double error = estimate / truth - 1;
    EXPECT_LT(std::abs(error), 5 * kSamplingError) << step;
    squares += error * error;
  }
  EXPECT_LT(std::sqrt(squares / kSteps), 1.2 * kSamplingError);
  EXPECT_LT(simulated, 0.8 * 6 * 48 * kSteps);
}

}  // namespace
}  // namespace ridgepoint::workloads
