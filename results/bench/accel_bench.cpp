// SPDX-License-Identifier: Apache-2.0
// Host speed of the whole machine: tile commands per second of the accelerator, and one decode step
// of llama-2-7b with every layer and every burst simulated. DRAM alone is in dram_bench.cpp.
#include <benchmark/benchmark.h>

#include "results/bench/bench_main.hpp"
#include "sim/soc/machine.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/step/runner.hpp"
#include "workloads/step/step.hpp"

extern "C" int sc_main(int, char**) { return 0; }

namespace ridgepoint {
namespace {

// The machine of sim/config/machines/teaching-80g.ini.
soc::MachineConfig teaching() {
  soc::MachineConfig config;
  config.hbm.stacks = 5;
  config.hbm.pin_rate_gbps = 5.2;
  return config;
}

// A model's step, simulated launch by launch.
void step(benchmark::State& state, const workloads::ModelShape& model, std::int64_t tokens,
          std::int64_t context) {
  soc::Machine machine(teaching());
  const isa::CoreShape shape = machine.config().accel.shape();
  workloads::PlacementSpec spec;
  spec.max_tokens = tokens;
  spec.kv_blocks = (context + spec.block_tokens - 1) / spec.block_tokens;
  spec.memory_bytes = machine.hbm_bytes();
  spec.workspace_bytes = workloads::step_workspace_bytes(shape, model, 1, 128);
  spec.panel_rows = shape.matrix_cols;
  const workloads::Placement placement(model, spec);
  workloads::BatchSequence sequence;
  sequence.new_tokens = tokens;
  sequence.context = context;
  for (std::int64_t b = 0; b < spec.kv_blocks; ++b) {
    sequence.blocks.push_back(static_cast<std::uint32_t>(b));
  }
  double commands = 0, bursts = 0, simulated_ns = 0;
  for (auto _ : state) {
    workloads::StepRunner runner(machine, false);
    const workloads::StepReport report =
        runner.run(workloads::build_step(shape, placement, {sequence}, {}), false);
    for (const std::uint64_t count : report.total.commands) {
      commands += static_cast<double>(count);
    }
    bursts += static_cast<double>(report.total.hbm.pin_bytes()) / 32;
    simulated_ns += static_cast<double>(report.total.cycles) * machine.clock().period_ns();
  }
  using benchmark::Counter;
  state.counters["commands_per_s"] = Counter(commands, Counter::kIsRate);
  state.counters["bursts_per_s"] = Counter(bursts, Counter::kIsRate);
  state.counters["simulated_us"] = Counter(simulated_ns / 1e3, Counter::kAvgIterations);
}

void decode_llama_2_7b(benchmark::State& state) {
  step(state, workloads::find_model("llama-2-7b"), 1, 512);
}
BENCHMARK(decode_llama_2_7b)->Unit(benchmark::kSecond)->Iterations(1);

void prefill_512_one_layer_of_llama_2_7b(benchmark::State& state) {
  workloads::ModelShape model = workloads::find_model("llama-2-7b");
  model.layers = 1;
  step(state, model, 512, 512);
}
BENCHMARK(prefill_512_one_layer_of_llama_2_7b)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace ridgepoint

int main(int argc, char** argv) { return ridgepoint::bench::run_benchmarks(argc, argv); }
