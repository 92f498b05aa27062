// SPDX-License-Identifier: Apache-2.0
// Measured bandwidth beside the closed form that bounds it.
#include <gtest/gtest.h>

#include "tests/dram/support.hpp"

namespace ridgepoint::dram {
namespace {

using namespace testing;

double measure(const Config& config, const Pattern& pattern, int channel = 0) {
  const auto spec = std::make_shared<const Spec>(resolve(config));
  const auto port = make_channel(spec, channel);
  const Outcome outcome = drive(*port, requests_of(*spec, pattern, channel));
  std::int64_t booked = outcome.stats.busy_ticks;
  for (const std::int64_t ticks : outcome.stats.lost_ticks) booked += ticks;
  EXPECT_EQ(booked, outcome.stats.total_ticks);
  return share_of_peak(*spec, outcome);
}

class EveryStandard : public ::testing::TestWithParam<const Standard*> {
 protected:
  Config config() const {
    Config config;
    config.standard = std::string(GetParam()->name);
    return config;
  }
};

TEST_P(EveryStandard, SequentialReadsReachTheRefreshLimit) {
  const Spec spec = resolve(config());
  const auto ns = [&](const char* name) { return static_cast<double>(spec.timing(name)); };
  const double refresh = (ns("tRTP") + ns("tRP") + ns("tRFC") + ns("tRCDRD")) / ns("tREFI");
  const double peak_share =
      measure(config(), sequential(std::uint64_t{32} << 20, 4096)) / (1 - refresh);
  EXPECT_GT(peak_share, 0.99);
  EXPECT_LT(peak_share, 1.01);
}

INSTANTIATE_TEST_SUITE_P(Dram, EveryStandard, ::testing::ValuesIn(all_standards()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST(Bandwidth, Hbm3DefaultsMeetTheirTargets) {
  EXPECT_GE(measure({}, sequential(std::uint64_t{32} << 20, 4096)), 0.89);
  EXPECT_GE(measure({}, paged(16, 32768, 256, 8U << 20, std::uint64_t{4} << 30, 2)), 0.75);
  EXPECT_GE(measure({}, strided(40'000, 4096, 32)), 0.40);
}

}  // namespace
}  // namespace ridgepoint::dram
