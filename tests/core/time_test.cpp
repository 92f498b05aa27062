// SPDX-License-Identifier: Apache-2.0
#include "sim/core/time.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"

namespace ridgepoint::core {
namespace {

TEST(Clock, HalfPicosecondsDoNotRound) {
  const Clock clock(312'500, 1);  // HBM3 6.4 Gb/s, half a CK: 312.5 ps
  EXPECT_EQ(clock.time_of(1'000'000), 312'500'000'000);
}

TEST(Clock, ARationalPeriodDoesNotDrift) {
  const Clock clock = Clock::from_hertz(1'410'000'000);
  EXPECT_EQ(clock.time_of(1'410'000'000), kFsPerSecond);
  EXPECT_EQ(clock.first_cycle_at_or_after(kFsPerSecond), 1'410'000'000);
  EXPECT_EQ(clock.first_cycle_at_or_after(kFsPerSecond + 1), 1'410'000'001);
}

TEST(Clock, EdgesAndCyclesAgree) {
  const Clock clock = Clock::from_hertz(1'830'000'000);
  for (Cycle cycle = 0; cycle < 10'000; ++cycle) {
    const Femtoseconds edge = clock.time_of(cycle);
    ASSERT_EQ(clock.first_cycle_at_or_after(edge), cycle);
    ASSERT_EQ(clock.first_cycle_at_or_after(edge + 1), cycle + 1);
  }
}

TEST(Clock, BadPeriodsAndEndOfTimeAreErrors) {
  EXPECT_THROW(Clock(0, 1), InputError);
  EXPECT_THROW(Clock::from_hertz(-1), InputError);
  EXPECT_THROW(Clock(1'000'000, 1).time_of(kNever / 1000), SimulationError);
  EXPECT_EQ(Clock(1, 1).time_of(kNever), kNever);
}

}  // namespace
}  // namespace ridgepoint::core
