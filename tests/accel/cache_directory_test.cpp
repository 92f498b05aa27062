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

}  // namespace
}  // namespace ridgepoint::accel
