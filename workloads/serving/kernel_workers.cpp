// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/kernel_workers.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

namespace ridgepoint::workloads {
namespace {

struct Answer {
  std::uint64_t task = 0;
  std::int64_t cycles = 0;
};

struct Worker {
  pid_t process = -1;
  int pipe = -1;
};

// Never returns to the caller's code: no destructor and no buffer of the parent's runs twice.
[[noreturn]] void work(soc::Machine& machine, const std::vector<KernelTask>& tasks,
                       const std::vector<std::size_t>& mine, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 0;
  try {
    for (const std::size_t task : mine) {
      machine.reset_memory();
      const Answer answer{task, machine.run(*tasks[task].kernel, false).cycles};
      if (::write(out, &answer, sizeof answer) != static_cast<ssize_t>(sizeof answer)) code = 1;
    }
  } catch (...) {
    code = 1;
  }
  ::_exit(code);
}

Worker start(soc::Machine& machine, const std::vector<KernelTask>& tasks,
             const std::vector<std::size_t>& mine) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    work(machine, tasks, mine, ends[1]);
  }
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    return {};
  }
  return {process, ends[0]};
}

// An answer is smaller than a pipe writes at once, so it comes whole or not at all.
void collect(const Worker& worker, std::vector<std::optional<core::Cycle>>& cycles) {
  if (worker.process < 0) return;
  Answer answer;
  while (true) {
    const ssize_t got = ::read(worker.pipe, &answer, sizeof answer);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof answer)) break;
    cycles.at(answer.task) = answer.cycles;
  }
  ::close(worker.pipe);
  int status = 0;
  while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::vector<std::optional<core::Cycle>> run_on_copies(soc::Machine& machine,
                                                      const std::vector<KernelTask>& tasks,
                                                      std::size_t workers) {
  std::vector<std::optional<core::Cycle>> cycles(tasks.size());
  workers = std::min(workers, tasks.size());
  // The longest first, each to the worker with the least.
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return tasks[left].cost > tasks[right].cost;
  });
  std::vector<std::vector<std::size_t>> parts(workers);
  std::vector<double> loads(workers, 0);
  for (const std::size_t task : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += tasks[task].cost;
    parts[static_cast<std::size_t>(least - loads.begin())].push_back(task);
  }
  std::vector<Worker> started;
  for (const auto& part : parts) started.push_back(start(machine, tasks, part));
  for (const Worker& worker : started) collect(worker, cycles);
  return cycles;
}

}  // namespace ridgepoint::workloads
