// SPDX-License-Identifier: Apache-2.0
// Sweeps as a user runs them: what a point costs beside its simulation, what many points need, and
// what a second process gains. Points are whole processes, so times are of the wall clock.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "results/bench/bench_main.hpp"

namespace ridgepoint::bench {
namespace {

struct Cost {
  double seconds = 0;      // wall clock
  double cpu_seconds = 0;  // of the sweep and its points
  double peak_bytes = 0;   // of the largest of these processes
};

Cost sweep(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {RIDGEPOINT_PROGRAM, "sweep", "--quiet"});
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    if (freopen("/dev/null", "w", stdout) != nullptr) execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(pid, &status, 0, &used);
  if (status != 0) return {};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {elapsed.count(), seconds(used.ru_utime) + seconds(used.ru_stime),
          1024.0 * static_cast<double>(used.ru_maxrss)};
}

// Rows of `plan`, which simulate nothing: all of the time is overhead.
void overhead_of_points(benchmark::State& state) {
  const std::string last = std::to_string(999 + state.range(0));
  Cost cost;
  for (auto _ : state) {
    cost = sweep({"--of", "plan", "--model", "gpt2-small", "--jobs", "2", "--vary",
                  "context=1000:" + last + ":1"});
  }
  if (cost.seconds == 0) return state.SkipWithError("the sweep failed");
  const auto points = static_cast<double>(state.range(0));
  state.counters["points_per_s"] = points / cost.seconds;
  state.counters["cpu_per_point_ms"] = 1e3 * cost.cpu_seconds / points;
  state.counters["peak_rss_bytes"] = cost.peak_bytes;
}
BENCHMARK(overhead_of_points)->Arg(1000)->Arg(10000)->Iterations(1)->Unit(benchmark::kSecond);

// Sixteen decode steps of a small model on a machine, one process and two.
void second_process(benchmark::State& state) {
  const std::vector<std::string> points{"--model", "llama-3.2-1b", "--step_workers=1", "--machine",
                                        "tpu-v5e", "--vary",       "context=0:480:32"};
  Cost one, two;
  for (auto _ : state) {
    for (Cost* cost : {&one, &two}) {
      std::vector<std::string> arguments = points;
      arguments.insert(arguments.end(), {"--jobs", cost == &one ? "1" : "2"});
      *cost = sweep(arguments);
    }
  }
  if (one.seconds == 0 || two.seconds == 0) return state.SkipWithError("the sweep failed");
  state.counters["jobs_2_ratio"] = one.seconds / two.seconds;
}
BENCHMARK(second_process)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace ridgepoint::bench

int main(int argc, char** argv) { return ridgepoint::bench::run_benchmarks(argc, argv); }
