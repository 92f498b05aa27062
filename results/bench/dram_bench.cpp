// SPDX-License-Identifier: Apache-2.0
// Host speed of one HBM3 channel: bursts per CPU-second of the plain controller (the oracle), of
// the event-driven one and of the fast path, on the same request streams. The figure to quote is
// the ratio within one run; `oracle_ratio` of a row is its rate over that of the oracle's row.
#include <benchmark/benchmark.h>

#include <array>
#include <ctime>
#include <map>
#include <random>
#include <string>

#include "results/bench/bench_main.hpp"
#include "sim/dram/channel.hpp"

namespace ridgepoint::dram {
namespace {

enum Stream : std::int64_t { kSequential, kPaged, kRandom };
constexpr std::array<const char*, 3> kStreamNames{"sequential", "paged_4k", "random_burst"};
constexpr std::array<const char*, 3> kControllerNames{"fast", "event", "oracle"};

std::vector<core::MemoryRequest> requests(const Spec& spec, Stream stream, std::int64_t bursts) {
  std::mt19937_64 random(1);
  const auto space = static_cast<std::uint64_t>(spec.geometry.channel_bytes());
  const auto burst = static_cast<std::uint64_t>(spec.geometry.burst_bytes);
  const std::uint64_t bytes = stream == kRandom ? burst : 4096;
  std::vector<core::MemoryRequest> result;
  for (std::int64_t done = 0; done < bursts; done += static_cast<std::int64_t>(bytes / burst)) {
    core::MemoryRequest request;
    request.id = result.size();
    request.bytes = static_cast<std::uint32_t>(bytes);
    request.address =
        stream == kSequential ? result.size() * bytes % space : random() % (space / bytes) * bytes;
    result.push_back(request);
  }
  return result;
}

// Sixty-four requests ahead of the channel, as a DMA with a finite number in flight would keep.
std::int64_t stream_through(Channel& channel, const std::vector<core::MemoryRequest>& load) {
  std::vector<core::MemoryEvent> completed;
  core::Femtoseconds now = 0;
  std::size_t submitted = 0;
  while (completed.size() < load.size()) {
    for (; submitted < load.size() && submitted < completed.size() + 64; ++submitted) {
      core::MemoryRequest request = load[submitted];
      request.arrival = now;
      channel.submit(request);
    }
    now += 300 * core::kFsPerNs;
    channel.advance(now);
    channel.take_completed(completed);
  }
  return channel.stats().pin_bytes() / channel.spec().geometry.burst_bytes;
}

void run(benchmark::State& state) {
  static std::map<std::int64_t, double> oracle_rate;
  Config config;
  config.controller = static_cast<ControllerKind>(state.range(1));
  config.refresh = state.range(2) != 0 ? RefreshMode::kAllBank : RefreshMode::kNone;
  const auto spec = std::make_shared<const Spec>(resolve(config));
  const bool oracle = config.controller == ControllerKind::kOracle;
  const auto load =
      requests(*spec, static_cast<Stream>(state.range(0)), oracle ? 20'000 : 8'000'000);
  std::int64_t bursts = 0;
  const std::clock_t start = std::clock();
  for (auto _ : state) bursts += stream_through(*make_channel(spec, 0), load);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double rate = static_cast<double>(bursts) / seconds;
  const std::int64_t key = state.range(0) * 2 + state.range(2);
  if (oracle) oracle_rate[key] = rate;
  state.counters["bursts_per_s"] = rate;
  if (oracle_rate.contains(key)) state.counters["oracle_ratio"] = rate / oracle_rate[key];
  state.SetLabel(std::string(kStreamNames[static_cast<std::size_t>(state.range(0))]) + " " +
                 kControllerNames[static_cast<std::size_t>(state.range(1))] +
                 (state.range(2) != 0 ? " refresh" : " no refresh"));
}

void all(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t refresh : {1, 0}) {
    for (const std::int64_t stream : {kSequential, kPaged, kRandom}) {
      for (const std::int64_t controller : {2, 1, 0}) {
        benchmark->Args({stream, controller, refresh});
      }
    }
  }
}

BENCHMARK(run)->Apply(all)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgepoint::dram

int main(int argc, char** argv) { return ridgepoint::bench::run_benchmarks(argc, argv); }
