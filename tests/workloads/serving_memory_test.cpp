// SPDX-License-Identifier: Apache-2.0
// Memory of a run grows with the requests in the system, not with the trace: a million requests,
// drawn as they are served, and the process stays small.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "tests/workloads/serving_machine.hpp"
#include "workloads/traces/generator.hpp"

namespace ridgepoint::workloads {
namespace {

double resident_mib() {
  std::ifstream in("/proc/self/statm");
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  in >> pages >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(ServingMemory, AMillionRequestsStayUnderAGibibyte) {
  const double before = resident_mib();
  GeneratorSpec spec;
  spec.requests = 1'000'000;
  spec.rate_per_s = 50;  // below what the machine serves, so that no queue grows
  spec.prompt = parse_length_spec("prompt", "lognormal:200:1");
  spec.output = parse_length_spec("output", "fixed:4");
  spec.longest = 8000;
  const auto trace = make_generator(spec);
  KvOptions kv_options;
  kv_options.geometry = {7449, 16, 0};
  const auto kv = make_kv_memory(kv_options);
  const auto scheduler = make_scheduler("v1");
  testing_machine::ClosedForm machine;
  GridStepTime times(machine);
  Engine engine({}, *kv, *scheduler, times);
  const ServingSummary summary = engine.run(*trace);
  EXPECT_EQ(summary.requests, 1'000'000u);
  EXPECT_EQ(summary.completed() + summary.rejected(), 1'000'000u);
  const double peak = peak_mib();
  RecordProperty("peak_mib", std::to_string(peak));
  std::cout << "peak " << peak << " MiB, " << before << " before\n";
  EXPECT_LT(peak, 1024);
#ifdef __SANITIZE_ADDRESS__
  constexpr double kMost = 512;  // freed memory stays in quarantine
#else
  constexpr double kMost = 256;
#endif
  EXPECT_LT(resident_mib() - before, kMost);
}

}  // namespace
}  // namespace ridgepoint::workloads
