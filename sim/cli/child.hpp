// SPDX-License-Identifier: Apache-2.0
// Runs this program again, in processes of their own: a point that crashes or hangs takes nothing
// with it, and SystemC elaborates once per process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace ridgepoint::cli {

struct Finished {
  std::size_t id = 0;
  int exit_code = 0;  // when it ended by itself
  int signal = 0;     // when a signal ended it
  bool timed_out = false;
  std::string out;
  std::string err;
};

class ProcessPool {
 public:
  // At most `jobs` processes; one that runs longer than `timeout_s` (0: no limit) is killed. While
  // the pool exists SIGINT and SIGTERM only end wait(). One pool at a time.
  ProcessPool(std::size_t jobs, double timeout_s);
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  // Kills what still runs.
  ~ProcessPool();

  bool has_room() const { return children_.size() < jobs_; }
  bool is_idle() const { return children_.empty(); }
  // Starts this program with `arguments`. Throws SimulationError if the system has no room for it.
  void start(std::size_t id, const std::vector<std::string>& arguments);
  // The next one to finish; nothing if a signal asked to stop. Precondition: not idle.
  std::optional<Finished> wait();
  bool interrupted() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Child {
    Finished result;
    pid_t pid = -1;
    int out = -1;
    int err = -1;
    Time deadline{};
  };
  void poll_once();
  void kill_late();
  static void pump(int& descriptor, std::string& text);
  static void reap(Child& child);

  std::size_t jobs_;
  double timeout_s_;
  std::list<Child> children_;
  struct Signals;
  Signals* signals_;
};

}  // namespace ridgepoint::cli
