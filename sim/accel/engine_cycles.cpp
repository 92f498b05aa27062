// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sim/accel/core.hpp"

namespace ridgepoint::accel {
namespace {

core::Cycle ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

MatrixCycles matrix_cycles(const AcceleratorConfig& config, const isa::MatrixOp& op, bool at_peak) {
  const core::Cycle latency = config.matrix_rows + config.matrix_cols;
  if (op.on_lanes) {
    return {ceil_div(op.slowdown * op.m * op.n * op.k, config.vector_lanes), latency};
  }
  const core::Cycle passes =
      ceil_div(op.k, config.matrix_rows) * ceil_div(op.n, config.matrix_cols);
  const core::Cycle at_rate_one = op.slowdown * passes * std::max(op.m, config.matrix_rows);
  const double rate = config.rate_of(op.dtype) * (at_peak ? 1.0 : config.sustained_ratio);
  return {static_cast<core::Cycle>(std::ceil(static_cast<double>(at_rate_one) / rate)), latency};
}

bool at_peak_rate(const AcceleratorConfig& config, core::Cycle worked, core::Cycle busy) {
  if (config.boost_ns == 0) return false;
  const core::Cycle boost = config.boost_ns * (config.clock_hz / 1000) / 1'000'000;
  return static_cast<double>(worked - boost) < config.sustained_ratio * static_cast<double>(busy);
}

core::Cycle vector_cycles(const AcceleratorConfig& config, const isa::VectorOp& op) {
  const std::int64_t all = op.elements * op.passes;
  if (config.special_lanes == 0) {
    return std::max<core::Cycle>(1, ceil_div(op.slowdown * all, config.vector_lanes));
  }
  const core::Cycle cycles = ceil_div(all - op.exponentials, config.vector_lanes) +
                             ceil_div(op.exponentials, config.special_lanes);
  return std::max<core::Cycle>(1, op.slowdown * cycles);
}

}  // namespace ridgepoint::accel
