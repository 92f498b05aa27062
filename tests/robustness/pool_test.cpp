// SPDX-License-Identifier: Apache-2.0
// The process pool. Its children are this test program again, running one of the Child tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "sim/cli/child.hpp"
#include "sim/cli/model_options.hpp"

namespace ridgepoint::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> child(const std::string& name) {
  return {"--gtest_also_run_disabled_tests", "--gtest_filter=Child.DISABLED_" + name,
          "--gtest_brief=1"};
}

// Not tests: what a child process does.
TEST(Child, DISABLED_Leaves) { std::_Exit(3); }
TEST(Child, DISABLED_Crashes) { std::raise(SIGSEGV); }
TEST(Child, DISABLED_Sleeps) { sleep(600); }
TEST(Child, DISABLED_Speaks) {
  const std::string text(300'000, 'x');  // more than a pipe holds
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST(ProcessPool, ReportsHowEachOneEnded) {
  ProcessPool pool(2, 0);
  pool.start(7, child("Leaves"));
  pool.start(8, child("Crashes"));
  EXPECT_FALSE(pool.has_room());
  std::set<std::size_t> seen;
  while (!pool.is_idle()) {
    const auto finished = pool.wait();
    ASSERT_TRUE(finished.has_value());
    seen.insert(finished->id);
    EXPECT_EQ(finished->exit_code, finished->id == 7 ? 3 : 0);
    EXPECT_EQ(finished->signal, finished->id == 7 ? 0 : SIGSEGV);
    EXPECT_FALSE(finished->timed_out);
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{7, 8}));
}

TEST(ProcessPool, KeepsAllOutput) {
  ProcessPool pool(1, 0);
  pool.start(0, child("Speaks"));
  const auto finished = pool.wait();
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(std::count(finished->out.begin(), finished->out.end(), 'x'), 300'000);
  EXPECT_EQ(std::count(finished->err.begin(), finished->err.end(), 'x'), 300'000);
}

TEST(ProcessPool, StopsWhatTakesTooLong) {
  ProcessPool pool(1, 0.2);
  const auto start = Clock::now();
  pool.start(0, child("Sleeps"));
  const auto finished = pool.wait();
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->timed_out);
  EXPECT_GE(seconds_since(start), 0.2);
  EXPECT_LT(seconds_since(start), 20);
}

TEST(ProcessPool, ASignalEndsTheWaitAndTheChildren) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto start = Clock::now();
    {
      ProcessPool pool(2, 0);
      pool.start(0, child("Sleeps"));
      pool.start(1, child("Sleeps"));
      raise(signal);
      EXPECT_FALSE(pool.wait().has_value());
      EXPECT_TRUE(pool.interrupted());
    }
    EXPECT_LT(seconds_since(start), 20);
  }
  ProcessPool pool(1, 0);  // a new pool starts afresh
  EXPECT_FALSE(pool.interrupted());
}

TEST(Processors, ThoseThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(available_processors(), static_cast<unsigned>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_processors(), 1U);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace ridgepoint::cli
