// SPDX-License-Identifier: Apache-2.0
#include "sim/core/random.hpp"

#include <gtest/gtest.h>

namespace ridgepoint::core {
namespace {

// First outputs for seed 1234567, as printed by the algorithm's reference implementation.
TEST(SplitMix64, GivesTheReferenceSequence) {
  SplitMix64 random(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(SplitMix64, NumbersStayInTheirInterval) {
  SplitMix64 random(3);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double unit = random.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
    sum += unit;
    const float symmetric = random.symmetric();
    EXPECT_GE(symmetric, -1);
    EXPECT_LT(symmetric, 1);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 6 * 0.289 / 316.2);  // six standard errors
}

}  // namespace
}  // namespace ridgepoint::core
