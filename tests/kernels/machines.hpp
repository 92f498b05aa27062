// SPDX-License-Identifier: Apache-2.0
// Machines small enough for unit tests, and seeded values.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/soc/machine.hpp"

namespace ridgepoint::test_machines {

// 4 cores of 16x16, one HBM3 stack of 4 channels.
inline soc::MachineConfig small_machine() {
  soc::MachineConfig config;
  config.name = "small";
  config.accel.cores = 4;
  config.accel.matrix_rows = 16;
  config.accel.matrix_cols = 16;
  config.accel.vector_lanes = 16;
  config.accel.scratchpad_bytes = 256 * 1024;
  config.accel.accumulator_bytes = 64 * 1024;
  config.accel.load_queue_bytes = 32 * 1024;
  config.accel.store_queue_bytes = 32 * 1024;
  config.accel.port_bytes_per_cycle = 64;
  config.accel.shared_bytes = 1024 * 1024;
  config.accel.shared_bytes_per_cycle = 256;
  config.hbm.channels_per_stack = 4;
  return config;
}

// [rows, cols] of fp32 at an address, row after row.
inline isa::View fp32_rows(std::uint64_t address, std::int64_t rows, std::int64_t cols) {
  isa::View view;
  view.dtype = core::DType::kFp32;
  view.rows = rows;
  view.cols = cols;
  view.address = address;
  view.row_bytes = static_cast<std::uint64_t>(cols) * 4;
  return view;
}

inline isa::Kernel kernel_of(std::function<isa::Program(isa::CorePort&)> program) {
  isa::Kernel kernel;
  kernel.name = "test";
  kernel.program = std::move(program);
  return kernel;
}

// Multiples of 1/64 in [-1, 1]: exact in fp16, their short sums exact in fp32.
inline std::vector<float> seeded_values(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  std::uint64_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(static_cast<std::int64_t>((state >> 33) % 129) - 64) / 64.0f;
  }
  return values;
}

}  // namespace ridgepoint::test_machines
