// SPDX-License-Identifier: Apache-2.0
// The tiled linear layer on the simulated machine: values, traffic at the pins against the formula,
// and cycles that do not depend on values.
#include "kernels/linear/linear.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/kernels/machines.hpp"

namespace ridgepoint::kernels {
namespace {

struct Case {
  std::int64_t m, n, k;
  bool residual, bias;
  std::int64_t shared_bytes;
};

struct Data {
  std::vector<float> x, w, y, bias, residual;
  LinearArgs args;

  Data(const Case& c, std::int64_t panel_rows) {
    x = test_machines::seeded_values(static_cast<std::size_t>(c.m * c.k), 1);
    w = test_machines::seeded_values(static_cast<std::size_t>(c.n * c.k), 2);
    bias = test_machines::seeded_values(static_cast<std::size_t>(c.n), 3);
    residual = test_machines::seeded_values(static_cast<std::size_t>(c.m * c.n), 4);
    y.assign(static_cast<std::size_t>(c.m * c.n), -7.0f);
    std::uint64_t next = 0;
    const auto tensor = [&next](std::int64_t rows, std::int64_t cols, float* values) {
      Tensor t;
      t.dtype = core::DType::kFp32;
      t.rows = rows;
      t.cols = cols;
      t.address = next;
      t.values = values;
      next += (t.bytes() + 4095) / 4096 * 4096;
      return t;
    };
    args.x = tensor(c.m, c.k, x.data());
    args.y = tensor(c.m, c.n, y.data());
    if (c.bias) args.bias = tensor(1, c.n, bias.data());
    if (c.residual) args.residual = tensor(c.m, c.n, residual.data());
    args.w = {core::DType::kFp32, c.n, c.k, panel_rows, next, w.data()};
  }

  void detach() {
    args.x.values = args.y.values = args.w.values = nullptr;
    if (args.bias) args.bias->values = nullptr;
    if (args.residual) args.residual->values = nullptr;
  }
};

class Linear : public ::testing::TestWithParam<Case> {};

TEST_P(Linear, ValuesTrafficAndCycles) {
  const Case c = GetParam();
  soc::MachineConfig config = test_machines::small_machine();
  config.accel.shared_bytes = c.shared_bytes;
  soc::Machine machine(config);
  const isa::CoreShape shape = config.accel.shape();
  Data data(c, shape.matrix_cols);

  machine.reset_memory();
  const soc::Activity with_values = machine.run(linear(shape, data.args, "test"), true);
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < c.k; ++p) {
        sum += data.x[static_cast<std::size_t>(i * c.k + p)] *
               data.w[static_cast<std::size_t>(j * c.k + p)];
      }
      if (c.bias) sum += data.bias[static_cast<std::size_t>(j)];
      if (c.residual) sum += data.residual[static_cast<std::size_t>(i * c.n + j)];
      ASSERT_EQ(data.y[static_cast<std::size_t>(i * c.n + j)], sum) << i << ',' << j;
    }
  }

  data.detach();
  machine.reset_memory();
  const isa::Kernel kernel = linear(shape, data.args, "test");
  const soc::Activity timing_only = machine.run(kernel, false);
  EXPECT_EQ(timing_only.cycles, with_values.cycles);
  EXPECT_EQ(timing_only.stalls, with_values.stalls);
  EXPECT_TRUE(timing_only.hbm == with_values.hbm);

  EXPECT_EQ(timing_only.matrix_flops, kernel.flops);
  std::int64_t useful = 0;
  for (std::size_t t = 0; t < core::kTrafficKinds; ++t) {
    useful += timing_only.hbm.read_useful_bytes[t] + timing_only.hbm.write_useful_bytes[t];
  }
  EXPECT_EQ(static_cast<double>(useful), kernel.model_bytes);
  // No run beats its roofline, and every engine's reasons sum to the lifetime.
  const double seconds = static_cast<double>(timing_only.cycles) / machine.clock().hertz();
  EXPECT_GE(seconds, kernel.flops / config.accel.peak_flops(core::DType::kFp32));
  EXPECT_GE(seconds, static_cast<double>(useful) / machine.hbm_peak_bytes_per_s());
  for (const probe::StallCycles& stalls : timing_only.stalls) {
    EXPECT_EQ(stalls.total(), timing_only.cycles * config.accel.cores);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Linear,
    ::testing::Values(Case{1, 64, 64, false, false, 1 << 20},
                      Case{1, 100, 300, true, true, 1 << 20}, Case{1, 512, 2048, false, false, 0},
                      Case{7, 33, 50, true, false, 1 << 20},
                      Case{128, 256, 128, false, true, 1 << 20},
                      Case{600, 160, 96, true, false, 1 << 20},  // several row tiles
                      Case{900, 48, 40, false, false, 150'000},  // shared regions are reused
                      Case{600, 160, 700, true, true, 0}));      // no resident panel

TEST(LinearTiling, FewRowsBesideACacheTakeNarrowTiles) {
  isa::CoreShape shape{.cores = 108, .matrix_rows = 64, .matrix_cols = 16, .vector_lanes = 64};
  shape.scratchpad_bytes = 164 * 1024;
  shape.accumulator_bytes = 144 * 1024;
  shape.cached_bytes = 40 << 20;
  shape.load_bytes_per_cycle = 47;
  shape.blocks = 2;
  const auto tile_of = [&](std::int64_t m, std::int64_t n) {
    LinearArgs args;
    args.x.dtype = args.w.dtype = args.y.dtype = core::DType::kBf16;
    args.x.rows = args.y.rows = m;
    args.x.cols = args.w.k = 4096;
    args.w.n = args.y.cols = n;
    args.w.panel_rows = 16;
    const LinearTiling tiling = choose_tiling(shape, args);
    return std::pair{tiling.mt, tiling.nt};
  };
  using Tile = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(tile_of(1, 8192), (Tile{1, 64}));
  EXPECT_EQ(tile_of(128, 12288), (Tile{128, 64}));
  EXPECT_EQ(tile_of(128, 65536), (Tile{128, 128}));  // three rounds of two blocks a core, not five
  EXPECT_EQ(tile_of(512, 108 * 128), (Tile{256, 128}));  // two rounds that read least
  shape.blocks = 1;
  EXPECT_EQ(tile_of(128, 12288), (Tile{128, 128}));  // one round, not two
  shape.scratchpad_bytes = 40 * 1024;                // does not hold 64 columns in four slots
  EXPECT_LT(tile_of(128, 8192).second, 64);
}

LinearArgs bf16_args(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t panel_rows) {
  LinearArgs args;
  args.x.dtype = args.w.dtype = args.y.dtype = core::DType::kBf16;
  args.x.rows = args.y.rows = m;
  args.x.cols = args.w.k = k;
  args.w.n = args.y.cols = n;
  args.w.panel_rows = panel_rows;
  return args;
}

// A lone block begins once whatever its tiles are; others begin with every tile, and take larger.
TEST(LinearTiling, ALoneBlockDoesNotPayForItsTiles) {
  isa::CoreShape shape{.cores = 132, .matrix_rows = 64, .matrix_cols = 32, .vector_lanes = 128};
  shape.scratchpad_bytes = 228 * 1024;
  shape.accumulator_bytes = 144 * 1024;
  shape.cached_bytes = 50 << 20;
  shape.load_bytes_per_cycle = 77;
  const LinearArgs args = bf16_args(8192, 12288, 4096, 32);
  const auto width = [&](std::int64_t blocks, std::int64_t block_cycles) {
    shape.blocks = blocks;
    shape.block_cycles = block_cycles;
    return choose_tiling(shape, args).nt;
  };
  EXPECT_EQ(width(1, 0), width(2, 0));
  EXPECT_EQ(width(1, 5000), width(1, 0));
  EXPECT_GT(width(2, 5000), width(2, 0));
}

// Two tiles for each of four cores: the second begins while the first is multiplied, if there is an
// accumulator for it and a core holds two blocks.
TEST(LinearTiling, TilesBeginWhileOthersAreMultiplied) {
  const auto cycles = [](std::int64_t accumulator_kib, std::int64_t block_ns, std::int64_t blocks,
                         std::int64_t n) {
    soc::MachineConfig config = test_machines::small_machine();
    config.accel.shared_is_cache = true;
    config.accel.accumulator_bytes = accumulator_kib * 1024;
    config.accel.block_ns = block_ns;
    config.accel.blocks = blocks;
    Data data({64, n, 1024, false, false, 0}, config.accel.matrix_cols);
    data.detach();
    soc::Machine machine(config);
    machine.reset_memory();
    return machine.run(linear(config.accel.shape(), data.args, "linear"), false).cycles;
  };
  const core::Cycle begin = 1500;  // 1 us
  EXPECT_LT(cycles(32, 1000, 2, 512) - cycles(32, 0, 2, 512), begin + begin / 2);
  EXPECT_GE(cycles(16, 1000, 2, 512) - cycles(16, 0, 2, 512), 2 * begin);
  // A lone block stays for all of its tiles.
  const core::Cycle once = cycles(64, 1000, 1, 1024) - cycles(64, 0, 1, 1024);
  EXPECT_GE(once, begin / 2);
  EXPECT_LT(once, begin + begin / 2);
}

// Panels of one column too: every width that is tried is wider than the one before.
TEST(LinearTiling, PanelsOfAnyWidthFindATileBesideACache) {
  for (const std::int64_t panel : {1, 2, 3, 5, 7, 16, 600}) {
    isa::CoreShape shape{.cores = 8, .matrix_rows = 64, .matrix_cols = panel, .vector_lanes = 64};
    shape.scratchpad_bytes = 1024 * 1024;
    shape.accumulator_bytes = 1024 * 1024;
    shape.cached_bytes = 40 << 20;
    shape.load_bytes_per_cycle = 64;
    const LinearTiling tiling = choose_tiling(shape, bf16_args(129, 1200, 512, panel));
    EXPECT_EQ(tiling.nt % panel, 0) << panel;
    EXPECT_GE(tiling.nt, panel);
  }
}

// Rows are cut so that the slots fit, however small the scratchpad is beside the accumulators.
TEST(LinearTiling, RowsAreWhatTheScratchpadCanFeed) {
  for (const std::int64_t kib : {72, 100, 256}) {
    soc::MachineConfig config = test_machines::small_machine();
    config.accel.scratchpad_bytes = kib * 1024;
    const isa::CoreShape shape = config.accel.shape();
    const std::int64_t most =
        most_tile_rows(shape, shape.matrix_cols, core::DType::kFp32, core::DType::kFp32, true);
    EXPECT_LE(most, 512);  // of two accumulators
    EXPECT_EQ(most == 512, kib == 256);
    for (const std::int64_t m : {most, most + 1, 3 * most}) {
      Data data({m, 48, 600, true, true, 0}, shape.matrix_cols);
      data.detach();
      EXPECT_LE(choose_tiling(shape, data.args).mt, most);
      soc::Machine machine(config);
      EXPECT_GT(machine.run(linear(shape, data.args, "test"), false).cycles, 0) << kib << ' ' << m;
    }
  }
}

}  // namespace
}  // namespace ridgepoint::kernels
