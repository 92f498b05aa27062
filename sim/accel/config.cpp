// SPDX-License-Identifier: Apache-2.0
#include "sim/accel/config.hpp"

#include <algorithm>
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

std::string kib(std::int64_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB"
                           : std::to_string(bytes) + " bytes";
}

}  // namespace

isa::CoreShape AcceleratorConfig::shape() const {
  isa::CoreShape shape{cores,
                       matrix_rows,
                       matrix_cols,
                       vector_lanes,
                       scratchpad_bytes,
                       accumulator_bytes,
                       shared_is_cache ? 0 : shared_bytes,
                       tile_rows};
  shape.blocks = blocks;
  shape.block_cycles = block_ns * (clock_hz / 1000) / 1'000'000;
  if (shared_is_cache) {
    shape.cached_bytes = shared_bytes;
    shape.load_bytes_per_cycle =
        std::min(port_bytes_per_cycle, std::max<std::int64_t>(1, shared_bytes_per_cycle / cores));
  }
  return shape;
}

double AcceleratorConfig::rate_of(core::DType dtype) const {
  switch (dtype) {
    case core::DType::kFp32:
      return matrix_rate * fp32_rate;
    case core::DType::kFp8:
    case core::DType::kFp8E5m2:
      return matrix_rate * fp8_rate;
    case core::DType::kInt8:
      return matrix_rate * int8_rate;
    // 4-bit formats are widened before they reach the array.
    default:
      return matrix_rate;
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
  validate_memories();
  const auto holds_a_piece = [this](const char* key, std::int64_t bytes) {
    if (bytes >= piece_bytes) return;
    core::fail_input({}, key, std::to_string(bytes), "is below fabric.piece_bytes",
                     std::to_string(piece_bytes) + " or more, or smaller pieces");
  };
  holds_a_piece("core.load_queue_bytes", load_queue_bytes);
  holds_a_piece("core.store_queue_bytes", store_queue_bytes);
}

// What kernels cannot do without, at 16 bit: four weight tiles of one array pass, the tiles of
// activations that go with them, and two accumulator tiles of 16 rows.
void AcceleratorConfig::validate_memories() const {
  const std::string array = std::to_string(matrix_rows) + " x " + std::to_string(matrix_cols);
  const std::int64_t operands = 4 * 2 * matrix_rows * matrix_cols + 5 * 2 * 16 * matrix_rows;
  if (scratchpad_bytes < operands) {
    core::fail_input({}, "core.scratchpad_kib", kib(scratchpad_bytes),
                     "does not hold four weight tiles and five activation tiles of the array of "
                     "core.matrix_rows x core.matrix_cols (" +
                         array + ")",
                     kib(operands) + " or more, or a smaller array");
  }
  const std::int64_t tiles = 2 * 16 * matrix_cols * 4;
  if (accumulator_bytes < tiles) {
    core::fail_input({}, "core.accumulator_kib", kib(accumulator_bytes),
                     "does not hold two tiles of 16 rows by core.matrix_cols (" +
                         std::to_string(matrix_cols) + ")",
                     kib(tiles) + " or more, or a narrower array");
  }
  if (accumulator_bytes > scratchpad_bytes) {
    core::fail_input({}, "core.accumulator_kib", kib(accumulator_bytes),
                     "is larger than core.scratchpad_kib (" + kib(scratchpad_bytes) +
                         "): operands could not keep the accumulators in use",
                     "at most " + kib(scratchpad_bytes) + ", or a scratchpad of " +
                         kib(accumulator_bytes) + " or more");
  }
}

void require_room(const std::string& machine, const isa::CoreShape& shape,
                  std::span<const isa::Kernel> kernels) {
  isa::CoreBytes least;
  std::string name;  // of the first kernel that has no room
  for (const isa::Kernel& kernel : kernels) {
    least.scratchpad = std::max(least.scratchpad, kernel.least.scratchpad);
    least.accumulators = std::max(least.accumulators, kernel.least.accumulators);
    if (name.empty() && !shape.holds(kernel.least)) name = kernel.name;
  }
  if (name.empty()) return;
  // A scratchpad is not smaller than the accumulators, which the machine may have more of.
  least.scratchpad = std::max(least.scratchpad, least.accumulators);
  std::string accepted;
  const auto add = [&accepted](const char* key, std::int64_t has, std::int64_t needs) {
    if (has >= needs) return;
    accepted += std::string(accepted.empty() ? "" : " and ") + key + ' ' +
                std::to_string((needs + 1023) / 1024) + " KiB";
  };
  add("core.accumulator_kib", shape.accumulator_bytes, least.accumulators);
  add("core.scratchpad_kib", shape.scratchpad_bytes, least.scratchpad);
  throw core::InputError(
      "machine '" + machine + "': kernel '" + name + "': core.accumulator_kib (" +
      kib(shape.accumulator_bytes) + ") and core.scratchpad_kib (" + kib(shape.scratchpad_bytes) +
      ") do not hold its smallest tiles beside an array of " + std::to_string(shape.matrix_cols) +
      " columns; accepted: " + accepted + " or more, or another model");
}

}  // namespace ridgepoint::accel
