// SPDX-License-Identifier: Apache-2.0
// A sweep of many points: what each costs beside its simulation, and that memory does not grow with
// what points do. RIDGEPOINT_SUITES=all makes it ten thousand points.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

class ManyPoints : public ProgramTest {};

// `plan` simulates nothing, so all of it is overhead; processor time does not depend on who else
// uses the computer. A point's row of some 300 bytes is kept until the end.
TEST_F(ManyPoints, CostLittleTimeAndMemory) {
  const char* which = std::getenv("RIDGEPOINT_SUITES");
  const int points = which != nullptr && std::string(which) == "all" ? 10'000 : 2'000;
  const pid_t pid =
      start({"sweep", "--of", "plan", "--model", "gpt2-small", "--jobs", "2", "--quiet", "--csv",
             "t.csv", "--vary", "context=1:" + std::to_string(points) + ":1"});
  int status = 0;
  rusage used{};
  ASSERT_EQ(wait4(pid, &status, 0, &used), pid);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const std::string text = slurp(folder() / "t.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), points + 1);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  EXPECT_LE((seconds(used.ru_utime) + seconds(used.ru_stime)) / points, 0.030);
  EXPECT_LE(used.ru_maxrss, 24 * 1024 + 4 * points) << "KiB";
}

}  // namespace
}  // namespace ridgepoint::tests
