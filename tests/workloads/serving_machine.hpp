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
  double bytes_per_second = kBytesPerSecond;
  double flops_per_second = kFlopsPerSecond;
  std::int64_t calls = 0;
  std::int64_t prepared = 0;  // times that something was asked for ahead
  bool even_passes = false;
  std::int64_t largest_read = 0;  // keys that attention was asked to read at once
  KernelGeometry geometry() const override {
    KernelGeometry geometry;
    geometry.cores = 16;
    geometry.kv_heads = 32;
    geometry.layer_weight_bytes = 400'000'000;
    geometry.token_kv_bytes = 16'384;
    geometry.even_passes = even_passes;
    return geometry;
  }
  core::Femtoseconds linear_part(std::int64_t tokens) override {
    ++calls;
    const double rows = static_cast<double>(tokens);
    const double passes = std::ceil(rows / 1024);
    const double stream = passes * kWeightBytes / bytes_per_second;
    return fs(std::max(stream, 2 * kWeightBytes / 2 * rows / flops_per_second));
  }
  core::Femtoseconds sampling_part(std::int64_t rows) override {
    ++calls;
    return fs(
        std::max(0.26e9 / bytes_per_second, static_cast<double>(rows) * 0.26e9 / flops_per_second));
  }
  core::Femtoseconds attention(std::span<const AttendingSequence> batch) override {
    ++calls;
    double seconds = 20e-6;
    std::int64_t read = 0;
    for (const AttendingSequence& one : batch) {
      read += one.context + one.new_tokens;
      const double rows = static_cast<double>(one.new_tokens);
      const double keys = static_cast<double>(one.context);
      seconds += one.new_tokens == 1
                     ? (keys + 1) * kKvBytesPerToken / bytes_per_second
                     : 4 * 32 * 4096 * rows * (keys + (rows + 1) / 2) / flops_per_second;
    }
    largest_read = std::max(largest_read, read);
    return fs(seconds);
  }

  Step whole_step(std::span<const AttendingSequence> batch, std::int64_t sampled) override {
    std::int64_t rows = 0;
    for (const AttendingSequence& one : batch) rows += one.new_tokens;
    const core::Femtoseconds attending = attention(batch);
    return {linear_part(rows) + attending + (sampled > 0 ? sampling_part(sampled) : 0), attending};
  }

  void prepare(std::span<const KernelQuery>) override { ++prepared; }

 private:
  static core::Femtoseconds fs(double seconds) { return std::llround(seconds * kFsPerSecond); }
};

}  // namespace ridgepoint::workloads::testing_machine
