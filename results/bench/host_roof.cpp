// SPDX-License-Identifier: Apache-2.0
#include "results/bench/host_roof.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <ctime>

#if defined(__x86_64__)
#define RIDGEPOINT_EACH_WIDTH \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RIDGEPOINT_EACH_WIDTH
#endif

namespace ridgepoint::bench {
namespace {

constexpr int kLanes = 16;
using Vector __attribute__((vector_size(kLanes * sizeof(float)))) = float;

// Of this thread's own time, as the benchmarks' rates are: others on the computer do not count.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Enough independent sums to hide the latency of a multiply-add on two ports.
constexpr int kSums = 12;

RIDGEPOINT_EACH_WIDTH
float multiply_adds(float factor, long rounds) {
  Vector sums[kSums] = {};
  Vector a;
  for (int j = 0; j < kLanes; ++j) a[j] = factor;
  Vector b = a;
  for (long i = 0; i < rounds; ++i) {
    for (Vector& sum : sums) sum = sum * a + b;
  }
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  return total;
}

RIDGEPOINT_EACH_WIDTH
float sum_of(const float* values, std::size_t count) {
  Vector sums[4] = {};
  for (std::size_t i = 0; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (std::size_t s = 0; s < 4; ++s) {
      Vector next;
      std::memcpy(&next, values + i + s * kLanes, sizeof next);
      sums[s] += next;
    }
  }
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  return total;
}

}  // namespace

double register_flops_per_s() {
  constexpr long kRounds = 4'000'000;
  const double start = seconds();
  benchmark::DoNotOptimize(multiply_adds(0.5F, kRounds));
  return 2.0 * kLanes * kSums * kRounds / (seconds() - start);
}

double stream_bytes_per_s(std::span<const float> buffer) {
  const double start = seconds();
  benchmark::DoNotOptimize(sum_of(buffer.data(), buffer.size()));
  return static_cast<double>(buffer.size_bytes()) / (seconds() - start);
}

}  // namespace ridgepoint::bench
