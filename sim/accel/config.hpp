// SPDX-License-Identifier: Apache-2.0
// What an accelerator is, apart from its HBM (dram::Config): cores, on-chip memory, fabric, host.
// Plain numbers; sim/config binds the option table to them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/core/dtype.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::accel {

struct AcceleratorConfig {
  // Cores. Peak FLOP/s = 2 * cores * matrix_rows * matrix_cols * clock * rate_of(dtype).
  std::int64_t cores = 16;
  std::int64_t clock_hz = 1'500'000'000;
  std::int64_t matrix_rows = 128;  // K direction of the weight-stationary array
  std::int64_t matrix_cols = 128;  // N direction
  double matrix_rate = 1;          // of all formats; what-ifs change it
  double fp32_rate = 0.25;         // matrix rate relative to 16 bit
  double fp8_rate = 2.0;
  double int8_rate = 2.0;
  double sustained_ratio = 1.0;  // matrix rate under load / peak: clocks fall when all arrays work
  std::int64_t boost_ns = 0;     // peak work that may be ahead of it; 0: always at that rate
  std::int64_t vector_lanes = 512;               // element operations per cycle
  std::int64_t special_lanes = 0;                // exponentials per cycle; 0: vector_lanes
  std::int64_t blocks = 0;                       // pieces of work held at once; 0: as memory allows
  std::int64_t block_ns = 0;                     // of the vector engine to begin one, for each
  bool engines_alternate = false;                // matrix and vector engine take turns
  std::int64_t scratchpad_bytes = 1536 * 1024;   // operand tiles
  std::int64_t accumulator_bytes = 1024 * 1024;  // fp32 accumulators, apart from operands
  std::int64_t load_queue_bytes = 384 * 1024;    // read bytes in flight per core
  std::int64_t store_queue_bytes = 128 * 1024;   // write bytes in flight per core
  std::int64_t port_bytes_per_cycle = 512;       // core <-> fabric, each direction

  // Shared on-chip memory: managed by kernels, or a cache of what is read from HBM.
  std::int64_t shared_bytes = 64 * 1024 * 1024;
  bool shared_is_cache = false;
  std::int64_t shared_bytes_per_cycle = 8192;
  std::int64_t shared_latency_ns = 40;

  // Fabric. Both latencies are also the look-ahead that lets cores and channels sleep.
  std::int64_t request_latency_ns = 120;
  std::int64_t response_latency_ns = 120;
  std::int64_t sync_latency_ns = 200;  // a token seen by another core; >= response latency
  std::int64_t piece_bytes = 4096;     // largest DMA transaction
  std::int64_t credits = 32;           // pieces of one core that a port buffers
  double channel_gb_per_s = 0;         // what a memory channel's port can answer with; 0: all

  // Host.
  std::int64_t launch_ns = 1000;  // from the end of one kernel to the start of the next

  std::int64_t attention_setup_ns = 0;  // more before an attention kernel: split plans, metadata

  // Largest M of one matrix tile; 0: as many rows as the accumulators hold.
  std::int64_t tile_rows = 0;

  isa::CoreShape shape() const;
  friend bool operator==(const AcceleratorConfig&, const AcceleratorConfig&) = default;

  double rate_of(core::DType dtype) const;
  double peak_flops(core::DType dtype) const;  // FLOP/s
  // Throws core::InputError naming the conflicting keys and the values that would work.
  void validate() const;

 private:
  void validate_memories() const;
};

// Throws InputError where a core does not hold the smallest tiles of each of these kernels: names
// the machine, the first such kernel, the keys, and what would do for all.
void require_room(const std::string& machine, const isa::CoreShape& shape,
                  std::span<const isa::Kernel> kernels);

}  // namespace ridgepoint::accel
