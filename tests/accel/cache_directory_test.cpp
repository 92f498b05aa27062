// SPDX-License-Identifier: Apache-2.0
// The cache's directory against one number per line of memory, and what it takes of memory itself.
#include "sim/accel/cache_directory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ridgepoint::accel {
namespace {

constexpr std::int64_t kBytes = 64 * 1024;
constexpr std::uint64_t kLines = kBytes / CacheDirectory::kLineBytes;

// The rule itself, with a number for every line that was ever read.
class PlainDirectory {
 public:
  bool read(std::uint64_t line) {
    const auto found = entered_.find(line);
    const bool held = found != entered_.end() && count_ - found->second < kLines;
    if (held && count_ - found->second < kLines / 2) return true;
    entered_[line] = ++count_;
    return held;
  }
  void clear() { entered_.clear(); }

 private:
  std::uint64_t count_ = 0;
  std::map<std::uint64_t, std::uint64_t> entered_;
};

TEST(CacheDirectory, HoldsWhatTheRuleHolds) {
  CacheDirectory cache(kBytes);
  PlainDirectory plain;
  std::mt19937_64 random(1);
  std::size_t hits = 0;
  std::uint64_t stream = 0;
  for (int i = 0; i < 200'000; ++i) {
    // A stream through memory, beside random lines of a set somewhat larger than the cache.
    const std::uint64_t line = random() % 4 == 0 ? stream += 7 : random() % (2 * kLines) * 1000;
    const bool held = plain.read(line);
    hits += held ? 1 : 0;
    ASSERT_EQ(cache.read(line), held) << i;
    if (i % 50'000 == 0) {
      cache.clear();
      plain.clear();
    }
  }
  EXPECT_GT(hits, 20'000U);
}

TEST(CacheDirectory, TakesMemoryForWhatItHoldsAndNotForWhatWasRead) {
  CacheDirectory cache(kBytes);
  const std::uint64_t lines = 1000 * CacheDirectory::kPageLines;
  std::size_t most = 0;
  for (std::uint64_t line = 0; line < lines; ++line) {
    cache.read(line);
    if (line % CacheDirectory::kPageLines == 0) most = std::max(most, cache.pages());
  }
  EXPECT_TRUE(cache.holds(lines - 1));
  EXPECT_TRUE(cache.holds(lines - kLines));
  EXPECT_FALSE(cache.holds(lines - kLines - 1));
  EXPECT_LE(most, 4U);
}

// What the rule means for a program; sizes in lines.
CacheDirectory cache_of(std::int64_t lines) {
  return CacheDirectory(lines * static_cast<std::int64_t>(CacheDirectory::kLineBytes));
}

TEST(CacheDirectory, HoldsALineFromItsFirstReadOn) {
  CacheDirectory cache = cache_of(4);
  EXPECT_FALSE(cache.holds(7));
  EXPECT_FALSE(cache.read(7));
  EXPECT_TRUE(cache.holds(7));
  EXPECT_TRUE(cache.read(7));
  EXPECT_FALSE(cache.holds(6));
  EXPECT_FALSE(cache.holds(1'000'000));
}

TEST(CacheDirectory, KeepsAsManyLinesAsFit) {
  constexpr std::uint64_t kFew = 8;
  CacheDirectory cache = cache_of(kFew);
  for (std::uint64_t line = 0; line < kFew; ++line) EXPECT_FALSE(cache.read(line));
  for (std::uint64_t line = 0; line < kFew; ++line) EXPECT_TRUE(cache.holds(line)) << line;
  // One more takes the place of the first, and only of the first.
  EXPECT_FALSE(cache.read(kFew));
  EXPECT_FALSE(cache.holds(0));
  for (std::uint64_t line = 1; line <= kFew; ++line) EXPECT_TRUE(cache.holds(line)) << line;
}

TEST(CacheDirectory, ACycleOfMoreLinesThanFitNeverHits) {
  CacheDirectory cache = cache_of(8);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t line = 0; line < 9; ++line) EXPECT_FALSE(cache.read(line)) << line;
  }
}

TEST(CacheDirectory, ACycleThatFitsAlwaysHits) {
  CacheDirectory cache = cache_of(8);
  for (std::uint64_t line = 0; line < 8; ++line) cache.read(line);
  for (int round = 0; round < 3; ++round) {
    // Twice the entries of a round would not fit if every read were one.
    for (std::uint64_t line = 0; line < 4; ++line) EXPECT_TRUE(cache.read(line)) << line;
  }
}

TEST(CacheDirectory, ALateReadRenewsAndAnEarlyOneDoesNot) {
  constexpr std::uint64_t kFew = 8;
  // Line 0 is read again when half of its stay is over: it outlives the line that came next.
  CacheDirectory late = cache_of(kFew);
  for (std::uint64_t line = 0; line <= kFew / 2; ++line) late.read(line);
  EXPECT_TRUE(late.read(0));
  for (std::uint64_t line = 0; line < kFew / 2; ++line) late.read(100 + line);
  EXPECT_TRUE(late.holds(0));
  EXPECT_FALSE(late.holds(1));
  // Just before that the read changes nothing, and line 0 leaves first.
  CacheDirectory early = cache_of(kFew);
  for (std::uint64_t line = 0; line < kFew / 2; ++line) early.read(line);
  EXPECT_TRUE(early.read(0));
  for (std::uint64_t line = 0; line <= kFew / 2; ++line) early.read(100 + line);
  EXPECT_FALSE(early.holds(0));
  EXPECT_TRUE(early.holds(1));
}

TEST(CacheDirectory, ForgetsAllAtOnce) {
  CacheDirectory cache = cache_of(4);
  cache.read(1);
  cache.read(2);
  cache.clear();
  EXPECT_FALSE(cache.holds(1));
  EXPECT_FALSE(cache.read(2));
  EXPECT_TRUE(cache.read(2));
}

TEST(CacheDirectory, HasAtLeastOneLine) {
  CacheDirectory cache(0);
  EXPECT_FALSE(cache.read(3));
  EXPECT_TRUE(cache.holds(3));
  EXPECT_FALSE(cache.read(4));
  EXPECT_FALSE(cache.holds(3));
}

}  // namespace
}  // namespace ridgepoint::accel
