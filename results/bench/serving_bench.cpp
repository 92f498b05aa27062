// SPDX-License-Identifier: Apache-2.0
// Host speed of the serving engine at iteration level: requests per CPU-second once the step times
// are known (llama-2-7b: that takes a minute before the first line). The trace is drawn with the
// lengths' mean and spread of a public chat trace; TRACE in the environment names a file to serve
// instead.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "results/bench/bench_main.hpp"
#include "sim/soc/machine.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/serving/engine.hpp"
#include "workloads/serving/grid_step_time.hpp"
#include "workloads/serving/machine_step_time.hpp"
#include "workloads/traces/generator.hpp"
#include "workloads/traces/open.hpp"

extern "C" int sc_main(int, char**) { return 0; }

namespace ridgepoint::workloads {
namespace {

std::unique_ptr<TraceSource> requests(std::uint64_t count) {
  if (const char* path = std::getenv("TRACE")) return open_trace(path);
  GeneratorSpec spec;
  spec.requests = count;
  spec.rate_per_s = 5.5;
  spec.prompt = parse_length_spec("prompt", "lognormal:1155:1");
  spec.output = parse_length_spec("output", "lognormal:211:0.8");
  spec.longest = 3000;
  return make_generator(spec);
}

ServingSummary serve(StepTimeModel& times, std::uint64_t count) {
  KvOptions kv_options;
  kv_options.geometry = {7449, 16, 0};  // llama-2-7b in 80 GB, as a public engine derives it
  const auto kv = make_kv_memory(kv_options);
  const auto scheduler = make_scheduler("v1");
  EngineOptions options;
  options.limits.max_num_batched_tokens = 2048;
  options.limits.max_model_len = 1'000'000;
  Engine engine(options, *kv, *scheduler, times);
  const auto trace = requests(count);
  return engine.run(*trace);
}

// Engine, scheduler, KV memory and remembered step times of a simulated machine.
void engine_with_known_steps(benchmark::State& state) {
  soc::MachineConfig config;
  config.hbm.stacks = 5;
  config.hbm.pin_rate_gbps = 5.2;
  soc::Machine machine(config);
  MachineStepSpec spec;
  spec.kv_blocks = 7449;
  spec.max_batch_tokens = 2048;
  spec.max_num_seqs = 1024;
  spec.memory_bytes = machine.hbm_bytes();
  spec.workers = 2;
  MachineKernelTimes kernels(machine, find_model("llama-2-7b"), spec);
  GridStepTime times(kernels);
  const auto count = static_cast<std::uint64_t>(state.range(0));
  serve(times, count);  // fills the grid
  double served = 0, steps = 0;
  for (auto _ : state) {
    const ServingSummary summary = serve(times, count);
    served += static_cast<double>(summary.requests);
    steps += static_cast<double>(summary.steps);
  }
  using benchmark::Counter;
  state.counters["requests_per_cpu_s"] = Counter(served, Counter::kIsRate);
  state.counters["steps_per_cpu_s"] = Counter(steps, Counter::kIsRate);
}
BENCHMARK(engine_with_known_steps)->Arg(19366)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgepoint::workloads

int main(int argc, char** argv) { return ridgepoint::bench::run_benchmarks(argc, argv); }
