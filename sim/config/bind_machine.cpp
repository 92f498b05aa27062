// SPDX-License-Identifier: Apache-2.0
#include "sim/config/bind_machine.hpp"

#include <cmath>

namespace ridgepoint::config {
namespace {

std::int64_t bytes_from(const Options& options, std::string_view key, double unit) {
  return std::llround(options.real(key) * unit);
}

constexpr double kKib = 1024;
constexpr double kGib = 1024.0 * 1024 * 1024;

}  // namespace

accel::AcceleratorConfig accelerator_config(const Options& options) {
  accel::AcceleratorConfig config;
  config.cores = options.integer("core.count");
  config.clock_hz = std::llround(options.real("core.clock_mhz") * 1e6);
  config.matrix_rows = options.integer("core.matrix_rows");
  config.matrix_cols = options.integer("core.matrix_cols");
  config.fp32_rate = options.real("core.fp32_rate");
  config.fp8_rate = options.real("core.fp8_rate");
  config.int8_rate = options.real("core.int8_rate");
  config.vector_lanes = options.integer("core.vector_lanes");
  config.scratchpad_bytes = bytes_from(options, "core.scratchpad_kib", kKib);
  config.accumulator_bytes = bytes_from(options, "core.accumulator_kib", kKib);
  config.load_queue_bytes = options.integer("core.load_queue_bytes");
  config.store_queue_bytes = options.integer("core.store_queue_bytes");
  config.port_bytes_per_cycle = options.integer("core.port_bytes_per_cycle");
  config.shared_bytes = bytes_from(options, "shared.size_kib", kKib);
  config.shared_bytes_per_cycle = options.integer("shared.bytes_per_cycle");
  config.shared_latency_ns = options.integer("shared.latency_ns");
  config.request_latency_ns = options.integer("fabric.request_latency_ns");
  config.response_latency_ns = options.integer("fabric.response_latency_ns");
  config.sync_latency_ns = options.integer("fabric.sync_latency_ns");
  config.piece_bytes = options.integer("fabric.piece_bytes");
  config.credits = options.integer("fabric.credits");
  config.launch_ns = options.integer("host.launch_ns");
  try {
    config.validate();
  } catch (const core::InputError& error) {
    throw core::InputError("machine '" + options.text("machine.name") + "': " + error.what());
  }
  return config;
}

std::int64_t memory_bytes(const Options& options) {
  return bytes_from(options, "machine.memory_gib", kGib);
}

}  // namespace ridgepoint::config
