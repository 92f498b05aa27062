// SPDX-License-Identifier: Apache-2.0
// Bisection for the value at which a condition stops to hold.
#include <gtest/gtest.h>

#include <set>

#include "sim/core/error.hpp"
#include "workloads/serving/limit_search.hpp"

namespace ridgepoint::workloads {
namespace {

TEST(LimitSearch, EnclosesTheLimitToTheTolerance) {
  for (const double limit : {0.3, 1.0, 5.0, 81.4, 7000.0}) {
    std::set<double> tried;
    const LimitFound found =
        find_limit({.start = 4, .least = 1e-3, .most = 1e6, .tolerance = 0.02}, [&](double value) {
          EXPECT_TRUE(tried.insert(value).second) << value << " was asked twice";
          return value <= limit;
        });
    ASSERT_TRUE(found.holds && found.fails);
    EXPECT_LE(*found.holds, limit);
    EXPECT_GT(*found.fails, limit);
    EXPECT_LE(*found.fails / *found.holds, 1.02);
    EXPECT_LE(tried.size(), 20u);
  }
}

TEST(LimitSearch, WholeNumbersAreExactFromAboveAndBelow) {
  for (int limit = 1; limit <= 40; ++limit) {
    const LimitFound fewest =
        find_limit({.start = 1, .least = 1, .most = 64, .whole = true, .holds_below = false},
                   [&](double value) { return value >= limit; });
    EXPECT_EQ(fewest.holds, limit);
    EXPECT_EQ(fewest.fails.has_value(), limit > 1);
    const LimitFound most = find_limit({.start = 20, .least = 1, .most = 64, .whole = true},
                                       [&](double value) { return value <= limit; });
    EXPECT_EQ(most.holds, limit);
  }
}

TEST(LimitSearch, NothingHoldsOrEverythingDoes) {
  const LimitSearch search{.start = 8, .least = 1, .most = 64};
  const LimitFound none = find_limit(search, [](double) { return false; });
  EXPECT_FALSE(none.holds);
  EXPECT_EQ(none.fails, 1);
  const LimitFound all = find_limit(search, [](double) { return true; });
  EXPECT_EQ(all.holds, 64);
  EXPECT_FALSE(all.fails);
}

TEST(LimitSearch, BadBoundsAreRefused) {
  const auto never = [](double) { return true; };
  EXPECT_THROW(find_limit({.start = 1, .least = 2, .most = 3}, never), core::InputError);
  EXPECT_THROW(find_limit({.start = 4, .least = 2, .most = 3}, never), core::InputError);
  EXPECT_THROW(find_limit({.start = 1, .least = 0, .most = 3}, never), core::InputError);
  EXPECT_THROW(find_limit({.start = 1, .least = 1, .most = 3, .tolerance = 0}, never),
               core::InputError);
}

}  // namespace
}  // namespace ridgepoint::workloads
