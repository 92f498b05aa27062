// SPDX-License-Identifier: Apache-2.0
// The processes behind a command: as many as asked for, and none of them after it.
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>
#include <sstream>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using Arguments = std::vector<std::string>;
using Pids = std::set<pid_t>;

struct Process {
  pid_t parent = 0;
  char state = 'Z';
  std::string started;  // a number is given out again, a number with a time is not
};

// Of /proc/PID/stat, behind the name in brackets: state, parent, ..., the 20th: when it started.
Process process_of(pid_t pid) {
  std::string text = slurp("/proc/" + std::to_string(pid) + "/stat");
  Process process;
  if (text.rfind(')') == std::string::npos) return process;
  std::istringstream words(text.substr(text.rfind(')') + 1));
  words >> process.state >> process.parent;
  for (int i = 3; i <= 20; ++i) words >> process.started;
  return process;
}

Pids children_of(const Pids& parents) {
  Pids children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    const Process process = pid > 0 ? process_of(pid) : Process{};
    if (process.state != 'Z' && parents.contains(process.parent)) children.insert(pid);
  }
  return children;
}

class Processes : public ProgramTest {
 protected:
  // Steps that take seconds, so that they can be watched.
  static Arguments long_run(const Arguments& more) {
    Arguments all{"run", "--model", "llama-3.2-1b", "--phase", "prefill", "--quiet", "--no-reuse"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static Arguments long_sweep(const Arguments& more) {
    Arguments all{"sweep",  "--model",   "llama-3.2-1b", "--phase", "prefill", "--no-reuse",
                  "--vary", "batch=1,2", "--quiet",      "--csv",   "t.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // Looks until it has seen so many at once, ten seconds at most.
  template <typename Look>
  static Pids watch(std::size_t count, Look look) {
    Pids most;
    for (int i = 0; i < 1000 && most.size() < count; ++i, usleep(10'000)) {
      if (Pids now = look(); now.size() > most.size()) most = std::move(now);
    }
    return most;
  }
};

TEST_F(Processes, ASweepTakesTheWorkersOfItsConfigurationFile) {
  file("c.ini", "[run]\nstep_workers = 5\n");
  const pid_t pid = start(long_sweep({"--config", "c.ini", "--jobs", "1"}));
  const Pids workers = watch(5, [&] { return children_of(children_of({pid})); });
  kill(pid, SIGTERM);
  finish(pid);
  EXPECT_EQ(workers.size(), 5U);
}

TEST_F(Processes, NoneIsLeftAfterAnInterruption) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    for (const bool sweeps : {false, true}) {
      SCOPED_TRACE(testing::Message() << signal << ' ' << sweeps);
      const Arguments workers{"--step-workers", "2"};
      const pid_t pid =
          start(sweeps ? long_sweep({"--jobs", "2", "--step-workers", "2"}) : long_run(workers));
      const Pids all = watch(sweeps ? 6 : 2, [&] {
        Pids children = children_of({pid});
        if (sweeps) children.merge(children_of(children));
        return children;
      });
      EXPECT_EQ(all.size(), sweeps ? 6U : 2U);
      std::map<pid_t, std::string> started;
      for (const pid_t one : all) started[one] = process_of(one).started;
      kill(pid, signal);
      finish(pid);
      const auto left = [&] {
        return std::count_if(started.begin(), started.end(), [](const auto& one) {
          const Process now = process_of(one.first);
          return now.state != 'Z' && now.started == one.second;
        });
      };
      for (int i = 0; i < 500 && left() > 0; ++i) usleep(10'000);
      EXPECT_EQ(left(), 0);
      std::filesystem::remove(folder() / "t.csv");
    }
  }
}

}  // namespace
}  // namespace ridgepoint::tests
