// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/sorted_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

namespace ridgepoint::dram {
namespace {

TEST(SortedQueue, GivesWhatAMultisetGives) {
  std::mt19937_64 random(1);
  SortedQueue<int> queue;
  std::multiset<int> expected;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0 || expected.empty()) {
      const int value = step + static_cast<int>(random() % 50);
      queue.insert(value, std::less<>());
      expected.insert(value);
    } else {
      ASSERT_EQ(queue.front(), *expected.begin());
      queue.pop_front();
      expected.erase(expected.begin());
    }
    ASSERT_EQ(queue.size(), expected.size());
    ASSERT_EQ(queue.empty(), expected.empty());
    if (!expected.empty()) {
      ASSERT_EQ(queue[queue.size() - 1], *expected.rbegin());
    }
  }
}

// Elements from anywhere, in descending order, and back to front while others are taken.
TEST(SortedQueue, TakesWhatComesInAnyOrder) {
  std::mt19937_64 random(2);
  for (const int kind : {0, 1, 2}) {
    SortedQueue<int> queue;
    std::multiset<int> expected;
    for (int step = 0; step < 20'000; ++step) {
      const int value = kind == 0 ? static_cast<int>(random() % 5'000) : -step;
      queue.insert(value, std::less<>());
      expected.insert(value);
      if (kind != 1 && random() % 4 == 0) {
        ASSERT_EQ(queue.front(), *expected.begin());
        queue.pop_front();
        expected.erase(expected.begin());
      }
      ASSERT_EQ(queue[queue.size() - 1], *expected.rbegin());
    }
    ASSERT_EQ(queue.size(), expected.size());
    for (const int value : expected) {
      ASSERT_EQ(queue.front(), value);
      queue.pop_front();
    }
    ASSERT_TRUE(queue.empty());
  }
}

TEST(SortedQueue, EqualsStayInTheirOrder) {
  SortedQueue<std::pair<int, int>> queue;
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  for (int i = 0; i < 600; ++i) queue.insert({i % 3 == 0 ? 0 : 1, i}, before);
  for (int key = 0, last = -1; !queue.empty(); queue.pop_front()) {
    if (queue.front().first != key) key = queue.front().first, last = -1;
    ASSERT_GT(queue.front().second, last);
    last = queue.front().second;
  }
}

}  // namespace
}  // namespace ridgepoint::dram
