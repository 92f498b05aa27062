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
  const std::vector<Stratum> strata{{32, 235e6, {}}, {32, 8e6, {}}, {30, 1e4, {}}, {9, 1e9, {}}};
  EXPECT_EQ(launches_wanted(strata), (std::vector<std::size_t>{3, 7, 30, 1}));
  EXPECT_TRUE(launches_wanted({}).empty());
}

TEST(LaunchSampling, EqualLaunchesAreEnough) {
  const std::vector<Stratum> strata{{32, 235e6, {100, 100, 100}}, {32, 1e9, {10}}};
  const std::vector<std::size_t> wanted = launches_wanted(strata);
  EXPECT_EQ(wanted[1], 1u);
  EXPECT_LE(wanted[0], 12u);  // by chance three may be alike
  EXPECT_EQ(sampling_error(std::vector<Stratum>{{3, 1e9, {7, 8, 9}}}), 0);  // all are known
}

TEST(LaunchSampling, MoreWhereTheyTellMoreForTheirHostTime) {
  const std::vector<double> varied{100, 100.5, 99.5, 100};
  const std::vector<Stratum> strata{{64, 20e6, varied}, {64, 1000e6, varied}};
  const std::vector<std::size_t> wanted = launches_wanted(strata);
  EXPECT_GT(wanted[0], wanted[1]);
  EXPECT_GT(wanted[1], 4u);
}

struct Errors {
  double rms = 0;        // of the steps' estimates
  double simulated = 0;  // part of the launches
};

// Steps of six kernels whose launches differ by up to 2 % of their cycles, times `deviation` of a
// number between -1 and 1.
template <typename Deviation>
Errors errors_of(Deviation deviation) {
  constexpr int kSteps = 400;
  constexpr std::size_t kLaunches = 48;
  const std::vector<std::size_t> order = spread_order(kLaunches);
  std::mt19937_64 random(5);
  Errors errors;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Stratum> strata;
    std::vector<std::vector<double>> cycles(6);
    double truth = 0;
    for (std::vector<double>& all : cycles) {
      const double share = 0.001 * static_cast<double>(random() % 21);
      const double typical = 1000 + static_cast<double>(random() % 100000);
      for (std::size_t launch = 0; launch < kLaunches; ++launch) {
        all.push_back(typical *
                      (1 + share * deviation(static_cast<double>(random() % 1001) / 500 - 1)));
        truth += all.back();
      }
      strata.push_back({kLaunches, 1e6 * static_cast<double>(random() % 100), {}});
    }
    for (bool more = true; more;) {
      const std::vector<std::size_t> wanted = launches_wanted(strata);
      more = false;
      for (std::size_t i = 0; i < strata.size(); ++i) {
        for (std::size_t at = strata[i].ns.size(); at < wanted[i]; ++at, more = true) {
          strata[i].ns.push_back(cycles[i][order[at]]);
        }
      }
    }
    EXPECT_LE(sampling_error(strata), kSamplingError);
    double estimate = 0;
    for (const Stratum& stratum : strata) {
      const double sum = std::accumulate(stratum.ns.begin(), stratum.ns.end(), 0.0);
      const auto known = static_cast<double>(stratum.ns.size());
      estimate += kLaunches * sum / known;
      errors.simulated += known / (6.0 * kLaunches * kSteps);
    }
    errors.rms += (estimate / truth - 1) * (estimate / truth - 1) / kSteps;
  }
  errors.rms = std::sqrt(errors.rms);
  return errors;
}

TEST(LaunchSampling, TheErrorIsWhatItSays) {
  const Errors even = errors_of([](double draw) { return draw; });
  EXPECT_LT(even.rms, 1.5 * kSamplingError);
  EXPECT_LT(even.simulated, 0.8);
  // One launch in four is slower: where the first few are none of those, the error is larger.
  const Errors two = errors_of([](double draw) { return draw > 0.5 ? 1.0 : 0.0; });
  EXPECT_LT(two.rms, 3 * kSamplingError);
  EXPECT_LT(two.simulated, 0.8);
}

}  // namespace
}  // namespace ridgepoint::workloads
