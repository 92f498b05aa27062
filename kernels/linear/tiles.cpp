// SPDX-License-Identifier: Apache-2.0
// Tiled GEMM on all cores. Row tiles one after the other; within one, output tiles go round the
// cores, and each core walks its tiles K step by K step. The X panel of a row tile is staged once
// in the shared memory by all cores together when it fits.
#include "kernels/linear/linear.hpp"
#include "kernels/linear/linear_core.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::kernels {
namespace {

using isa::CorePort;
using isa::Token;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

isa::Program program(CorePort& core, LinearArgs args, LinearTiling tiling,
                     PanelValues panel_values) {
  const bool waves = tiling.wave_rows > 0;
  const std::int64_t row_tiles = ceil_div(args.x.rows, tiling.mt);
  LinearCore work(core, args, tiling, panel_values);
  for (std::int64_t i = 0; waves || i < row_tiles; ++i) {
    if (!waves) {
      work.begin(i);
    } else if (!work.begin_wave(i)) {
      break;
    }
    while (work.has_weight_ahead()) {
      const Token slot = work.weight_slot();
      co_await isa::until(core, slot);
      work.load_weight();
    }
    for (std::int64_t p = 0; p < work.region_readers(); ++p) {
      const Token left = work.region_reader(p);
      co_await isa::until(core, left);
    }
    while (work.has_chunk()) {
      const Token slot = work.stage_slot();
      co_await isa::until(core, slot);
      work.stage_chunk();
    }
    if (tiling.x_in_core) {
      const Token readers = work.last_matrix();
      co_await isa::until(core, readers);
      work.load_all_x();
    }
    while (work.has_step()) {
      while (work.weight_due()) {
        const Token slot = work.weight_slot();
        co_await isa::until(core, slot);
        work.load_weight();
      }
      if (!tiling.x_in_core) {
        const Token slot = work.x_slot();
        co_await isa::until(core, slot);
        work.load_x();
      }
      work.multiply();
    }
    work.end();
  }
}

void check(const LinearArgs& args) {
  const auto mismatch = [](const std::string& what) {
    throw core::SimulationError("linear: " + what);
  };
  if (args.x.cols < args.w.k)
    mismatch("x has K = " + std::to_string(args.x.cols) +
             ", w has K = " + std::to_string(args.w.k));
  if (args.y.rows != args.x.rows || args.y.cols != args.w.n) mismatch("y is not [M, N]");
  if (args.bias && args.bias->cols != args.w.n) mismatch("bias is not [1, N]");
  if (args.residual && (args.residual->rows != args.y.rows || args.residual->cols != args.y.cols)) {
    mismatch("residual is not [M, N]");
  }
}

}  // namespace

isa::Kernel linear(const isa::CoreShape& shape, const LinearArgs& args, const std::string& name) {
  check(args);
  const LinearTiling tiling = choose_tiling(shape, args);
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = "linear";
  kernel.key = "linear m=" + std::to_string(args.x.rows) + " n=" + std::to_string(args.w.n) +
               " k=" + std::to_string(args.w.k) + " w=" + std::string(name_of(args.w.dtype)) +
               " x=" + std::string(name_of(args.x.dtype)) +
               " y=" + std::string(name_of(args.y.dtype)) + (args.bias ? " bias" : "") +
               (args.residual ? " residual" : "");
  kernel.flops = 2.0 * static_cast<double>(args.x.rows) * static_cast<double>(args.w.n) *
                 static_cast<double>(args.w.k);
  kernel.model_bytes = traffic_bytes(args, tiling);
  kernel.least = linear_needs(args, choose_tiling(shape.without_memories(), args));
  PanelValues panel_values;
  if (args.x.values != nullptr && tiling.x_in_shared) {
    panel_values = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(
        tiling.shared_panels * tiling.mt * core::bytes_of(args.x.dtype, args.w.k)));
  }
  kernel.program = [args, tiling, panel_values](CorePort& core) {
    return program(core, args, tiling, panel_values);
  };
  return kernel;
}

}  // namespace ridgepoint::kernels
