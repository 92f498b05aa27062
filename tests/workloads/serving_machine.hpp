// SPDX-License-Identifier: Apache-2.0
// A closed-form machine for engine tests, about an A100-80G with Llama-2-7B. It exists in tests
// only: the program asks the simulated accelerator.
#pragma once

#include <algorithm>
#include <cmath>

#include "workloads/serving/engine.hpp"
#include "workloads/serving/grid_step_time.hpp"

namespace ridgepoint::workloads::testing_machine {

inline constexpr double kFsPerSecond = 1e15;
inline constexpr double kBytesPerSecond = 1.5e12;
inline constexpr double kFlopsPerSecond = 220e12;
inline constexpr double kWeightBytes = 13.2e9;
inline constexpr double kKvBytesPerToken = 524'288;

class ClosedForm final : public KernelTimes {
 public:
  std::int64_t calls = 0;
  core::Femtoseconds linear_part(std::int64_t tokens, std::int64_t sampled) override {
    ++calls;
    const double rows = static_cast<double>(tokens);
    const double stream = kWeightBytes / kBytesPerSecond;
    const double compute = 2 * kWeightBytes / 2 * rows / kFlopsPerSecond;
    const double head = static_cast<double>(sampled) * 0.26e9 / kFlopsPerSecond;
    return fs(std::max(stream, compute) + head);
  }
  core::Femtoseconds decode_attention(std::int64_t batch, std::int64_t context) override {
    ++calls;
    return fs(20e-6 + static_cast<double>(batch * context) * kKvBytesPerToken / kBytesPerSecond);
  }
  core::Femtoseconds prefill_attention(std::int64_t tokens, std::int64_t context) override {
    ++calls;
    const double rows = static_cast<double>(tokens);
    const double pairs = rows * (static_cast<double>(context) + (rows + 1) / 2);
    return fs(50e-6 + 4 * 32 * 4096 * pairs / kFlopsPerSecond);
  }

 private:
  static core::Femtoseconds fs(double seconds) { return std::llround(seconds * kFsPerSecond); }
};

}  // namespace ridgepoint::workloads::testing_machine
