// SPDX-License-Identifier: Apache-2.0
#include "sim/accel/config.hpp"

#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::accel {
namespace {

void require_at_least(const char* key, std::int64_t value, std::int64_t minimum) {
  if (value < minimum) {
    core::fail_input({}, key, std::to_string(value), "is too small",
                     std::to_string(minimum) + " or more");
  }
}

}  // namespace

isa::CoreShape AcceleratorConfig::shape() const {
  return {cores,        matrix_rows, matrix_cols, vector_lanes, scratchpad_bytes, accumulator_bytes,
          shared_bytes, tile_rows};
}

double AcceleratorConfig::rate_of(core::DType dtype) const {
  switch (dtype) {
    case core::DType::kFp32:
      return fp32_rate;
    case core::DType::kFp8:
      return fp8_rate;
    case core::DType::kInt8:
      return int8_rate;
    // 4-bit weights are widened to 16 bit before they reach the array.
    default:
      return 1.0;
  }
}

double AcceleratorConfig::peak_flops(core::DType dtype) const {
  return 2.0 * static_cast<double>(cores) * static_cast<double>(matrix_rows) *
         static_cast<double>(matrix_cols) * static_cast<double>(clock_hz) * rate_of(dtype);
}

void AcceleratorConfig::validate() const {
  require_at_least("core.count", cores, 1);
  require_at_least("core.clock_mhz", clock_hz, 1'000'000);
  require_at_least("core.matrix_rows", matrix_rows, 1);
  require_at_least("core.matrix_cols", matrix_cols, 1);
  require_at_least("core.vector_lanes", vector_lanes, 1);
  require_at_least("core.port_bytes_per_cycle", port_bytes_per_cycle, 1);
  require_at_least("shared.bytes_per_cycle", shared_bytes_per_cycle, 1);
  require_at_least("fabric.request_latency_ns", request_latency_ns, 1);
  require_at_least("fabric.response_latency_ns", response_latency_ns, 1);
  require_at_least("fabric.credits", credits, 1);
  require_at_least("host.launch_ns", launch_ns, 0);
  require_at_least("fabric.piece_bytes", piece_bytes, 32);
  if (sync_latency_ns < response_latency_ns) {
    core::fail_input({}, "fabric.sync_latency_ns", std::to_string(sync_latency_ns),
                     "is below fabric.response_latency_ns (" + std::to_string(response_latency_ns) +
                         "): a signal between cores crosses the same fabric",
                     std::to_string(response_latency_ns) + " or more");
  }
  // The smallest tile every kernel can fall back to: 16 tokens by one array pass, double buffered.
  const std::int64_t smallest_tile = 16 * (matrix_rows + matrix_cols) * 4;
  require_at_least("core.scratchpad_kib (bytes)", scratchpad_bytes, 8 * smallest_tile);
  require_at_least("core.accumulator_kib (bytes)", accumulator_bytes, 16 * matrix_cols * 4);
  if (load_queue_bytes < piece_bytes || store_queue_bytes < piece_bytes) {
    core::fail_input({}, "core.load_queue_bytes", std::to_string(load_queue_bytes),
                     "or core.store_queue_bytes (" + std::to_string(store_queue_bytes) +
                         ") is below fabric.piece_bytes",
                     std::to_string(piece_bytes) + " or more");
  }
}

}  // namespace ridgepoint::accel
