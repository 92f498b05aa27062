// SPDX-License-Identifier: Apache-2.0
// The two regimes on the computer at hand, one thread: a prefill GEMM and a decode GEMV of fp32
// weights, beside that computer's own roof measured in the same run: multiply-adds in registers,
// and a stream over a buffer that no cache holds. The figures to quote are the ratios.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "kernels/linear/host.hpp"
#include "results/bench/bench_main.hpp"
#include "results/bench/host_roof.hpp"

namespace ridgepoint::bench {
namespace {

constexpr std::size_t kLargeFloats = std::size_t{1} << 28;  // 1 GiB

const std::vector<float>& large() {
  static const std::vector<float> buffer(kLargeFloats, 0.5F);
  return buffer;
}

// Both roofs are the best of several tries: what the computer can, not what it did on average.
double flops_roof() {
  static const double roof = [] {
    double best = 0;
    for (int i = 0; i < 10; ++i) best = std::max(best, register_flops_per_s());
    return best;
  }();
  return roof;
}

double bytes_roof() {
  static const double roof = [] {
    double best = 0;
    for (int i = 0; i < 4; ++i) best = std::max(best, stream_bytes_per_s(large()));
    return best;
  }();
  return roof;
}

// M rows through `outputs` x `inputs` weights.
void linear(benchmark::State& state, std::int64_t rows, std::int64_t outputs, std::int64_t inputs) {
  const std::span<const float> weight(large().data(), static_cast<std::size_t>(outputs * inputs));
  const std::vector<float> x(static_cast<std::size_t>(rows * inputs), 0.25F);
  std::vector<float> y(static_cast<std::size_t>(rows * outputs));
  const double flops = 2.0 * static_cast<double>(rows * outputs * inputs);
  const double bytes = 4.0 * static_cast<double>(outputs * inputs + rows * (outputs + inputs));
  const double roof = std::min(flops_roof(), flops / bytes * bytes_roof());
  for (auto _ : state) {
    kernels::linear_host(x, weight, inputs, y);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  const auto rate = [&](double each) { return Counter(each, Counter::kIsIterationInvariantRate); };
  state.counters["flop_per_byte"] = flops / bytes;
  state.counters["gflop_per_s"] = rate(flops / 1e9);
  state.counters["gb_per_s"] = rate(bytes / 1e9);
  state.counters["roof_gflop_per_s"] = flops_roof() / 1e9;
  state.counters["roof_gb_per_s"] = bytes_roof() / 1e9;
  state.counters["roof_ratio"] = rate(flops / roof);  // achieved / what the roof allows
}

void prefill_gemm_512(benchmark::State& state) { linear(state, 512, 4096, 4096); }
void decode_gemv(benchmark::State& state) { linear(state, 1, 65536, 4096); }
void decode_batch_8(benchmark::State& state) { linear(state, 8, 65536, 4096); }
BENCHMARK(prefill_gemm_512)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_gemv)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_batch_8)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgepoint::bench

int main(int argc, char** argv) { return ridgepoint::bench::run_benchmarks(argc, argv); }
