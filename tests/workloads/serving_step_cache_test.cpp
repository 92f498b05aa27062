// SPDX-License-Identifier: Apache-2.0
// Kernel times kept in a file: found again only under the same context, whole or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/core/error.hpp"
#include "workloads/serving/step_cache.hpp"

namespace ridgepoint::workloads {
namespace {

class StepCacheFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() /
             ("ridgepoint_cache_" + std::to_string(getpid()) + '_' +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()))
                .string();
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string path_;
};

TEST_F(StepCacheFile, IsReadBackUnderTheSameContextOnly) {
  {
    StepCache cache(path_, "machine a");
    EXPECT_FALSE(cache.find("linear m=1").has_value());
    cache.add("linear m=1", 123);
    cache.add("linear m=2", 1'000'000'000'000);
    cache.add("linear m=1", 123);  // known: no second line
  }
  StepCache again(path_, "machine a");
  EXPECT_EQ(again.size(), 2u);
  EXPECT_EQ(again.find("linear m=1"), 123);
  EXPECT_EQ(again.find("linear m=2"), 1'000'000'000'000);
  EXPECT_FALSE(again.find("linear m=3").has_value());
  StepCache other(path_, "machine b");
  EXPECT_FALSE(other.find("linear m=1").has_value());
  other.add("linear m=1", 77);  // beside the other machine's
  EXPECT_EQ(StepCache(path_, "machine a").find("linear m=1"), 123);
  EXPECT_EQ(StepCache(path_, "machine b").find("linear m=1"), 77);
}

TEST_F(StepCacheFile, ACutLineIsLeftOutAndTheNextOneStartsAfresh) {
  StepCache(path_, "c").add("a", 10);
  StepCache(path_, "c").add("b", 20);
  const std::string whole = text();
  for (std::size_t cut = whole.size() - 1; cut > whole.rfind(' ') - 30; --cut) {
    write(whole.substr(0, cut));
    StepCache cache(path_, "c");
    EXPECT_EQ(cache.find("a"), 10);
    EXPECT_EQ(cache.damaged(), cut == whole.size() - 1 ? 0u : 1u) << cut;
    cache.add("d", 30);
    EXPECT_EQ(StepCache(path_, "c").find("d"), 30) << cut;
  }
}

TEST_F(StepCacheFile, NoFlippedBitGivesAWrongTime) {
  StepCache(path_, "c").add("a", 123456);
  const std::string whole = text();
  for (std::size_t at = whole.find('\n') + 1; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      write(flipped);
      const auto found = StepCache(path_, "c").find("a");
      EXPECT_TRUE(!found.has_value() || *found == 123456) << at << ' ' << bit;
    }
  }
}

TEST_F(StepCacheFile, AnotherFileIsRefusedAndNotTouched) {
  for (const char* content : {"schema,tool_version\n", "x", "ridgepoint step times 2\n", "\n"}) {
    write(content);
    EXPECT_THROW(StepCache(path_, "c"), core::InputError) << content;
    EXPECT_EQ(text(), content);
  }
  EXPECT_THROW(StepCache("/nonexistent/cache", "c"), core::InputError);
  EXPECT_THROW(StepCache("/", "c"), core::InputError);
}

TEST_F(StepCacheFile, WhatNeverEndsOrNeverBeginsIsRefused) {
  for (const char* device : {"/dev/zero", "/dev/full", "/dev/null"}) {
    EXPECT_THROW(StepCache(device, "c"), core::InputError) << device;
  }
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THROW(StepCache(path_, "c"), core::InputError);
}

TEST_F(StepCacheFile, RunsThatBeginTheFileTogetherDamageNothing) {
  StepCache first(path_, "c");
  StepCache second(path_, "c");  // finds the file as empty as the first did
  first.add("a", 10);
  second.add("b", 20);
  first.add("d", 30);
  StepCache again(path_, "c");
  EXPECT_EQ(again.damaged(), 0u);
  EXPECT_EQ(again.find("a"), 10);
  EXPECT_EQ(again.find("b"), 20);
  EXPECT_EQ(again.find("d"), 30);
}

}  // namespace
}  // namespace ridgepoint::workloads
