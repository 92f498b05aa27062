// SPDX-License-Identifier: Apache-2.0
// Tiled attention on the simulated machine against the plain definition, over a paged cache with
// scattered blocks: decode rows, prefill chunks, both together, groups of heads, split keys.
#include "kernels/attention/attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/accel/core.hpp"
#include "tests/kernels/machines.hpp"

namespace ridgepoint::kernels {
namespace {

struct Shape {
  std::int64_t heads, kv_heads, dim;
};
struct Part {
  std::int64_t new_tokens, context;
};

// Queries, a cache with content, and what attention must give.
class Problem {
 public:
  Problem(const Shape& shape, const std::vector<Part>& parts) : shape_(shape) {
    std::int64_t rows = 0, blocks = 0;
    for (const Part& part : parts) {
      rows += part.new_tokens;
      blocks += (part.context + kBlock - 1) / kBlock;
    }
    q_ = test_machines::seeded_values(static_cast<std::size_t>(rows * shape.heads * shape.dim), 7);
    out_.assign(q_.size(), -1.0f);
    args.cache.dtype = core::DType::kFp32;
    args.cache.kv_heads = shape.kv_heads;
    args.cache.head_dim = shape.dim;
    args.cache.block_tokens = kBlock;
    cache_ = test_machines::seeded_values(
        static_cast<std::size_t>(blocks * args.cache.block_bytes() / 4), 8);
    args.cache.values = cache_.data();
    args.cache.address = 1 << 20;
    args.heads = shape.heads;
    args.q = tensor(rows, q_.data(), 0);
    args.out = tensor(rows, out_.data(), 8 << 20);
    args.workspace_address = 16 << 20;
    std::int64_t row = 0;
    std::uint32_t next = 0;
    tables_.reserve(parts.size());
    for (const Part& part : parts) {
      std::vector<std::uint32_t> table;
      for (std::int64_t t = 0; t < part.context; t += kBlock) table.push_back(next++);
      std::reverse(table.begin(), table.end());
      tables_.push_back(table);
      args.sequences.push_back({row, part.new_tokens, part.context, tables_.back().data()});
      row += part.new_tokens;
    }
  }

  double worst_error() const {
    double worst = 0;
    for (const Sequence& sequence : args.sequences) {
      for (std::int64_t i = 0; i < sequence.new_tokens; ++i) {
        const std::int64_t visible = sequence.context - sequence.new_tokens + i + 1;
        for (std::int64_t h = 0; h < shape_.heads; ++h) {
          worst = std::max(worst, row_error(sequence, sequence.row0 + i, visible, h));
        }
      }
    }
    return worst;
  }
  const std::vector<float>& out() const { return out_; }

  AttentionArgs args;

 private:
  static constexpr std::int64_t kBlock = 16;

  Tensor tensor(std::int64_t rows, float* values, std::uint64_t address) const {
    Tensor t;
    t.dtype = core::DType::kFp32;
    t.rows = rows;
    t.cols = shape_.heads * shape_.dim;
    t.address = address;
    t.values = values;
    return t;
  }
  const float* cached(const Sequence& sequence, std::int64_t head, bool is_v,
                      std::int64_t token) const {
    const std::int64_t block = sequence.blocks[token / kBlock];
    return cache_.data() + block * (args.cache.block_bytes() / 4) +
           ((head * 2 + (is_v ? 1 : 0)) * kBlock + token % kBlock) * shape_.dim;
  }
  // In double, by the definition.
  double row_error(const Sequence& sequence, std::int64_t row, std::int64_t visible,
                   std::int64_t head) const {
    const std::int64_t kv_head = head / (shape_.heads / shape_.kv_heads);
    const std::size_t at = static_cast<std::size_t>((row * shape_.heads + head) * shape_.dim);
    std::vector<double> p(static_cast<std::size_t>(visible));
    double peak = -1e300, sum = 0;
    for (std::int64_t t = 0; t < visible; ++t) {
      double dot = 0;
      for (std::int64_t d = 0; d < shape_.dim; ++d) {
        dot += static_cast<double>(q_[at + static_cast<std::size_t>(d)]) *
               cached(sequence, kv_head, false, t)[d];
      }
      p[static_cast<std::size_t>(t)] = dot / std::sqrt(static_cast<double>(shape_.dim));
      peak = std::max(peak, p[static_cast<std::size_t>(t)]);
    }
    for (double& value : p) sum += value = std::exp(value - peak);
    double worst = 0;
    for (std::int64_t d = 0; d < shape_.dim; ++d) {
      double expected = 0;
      for (std::int64_t t = 0; t < visible; ++t) {
        expected += p[static_cast<std::size_t>(t)] / sum * cached(sequence, kv_head, true, t)[d];
      }
      worst = std::max(worst, std::fabs(expected - out_[at + static_cast<std::size_t>(d)]));
    }
    return worst;
  }

  Shape shape_;
  std::vector<float> q_, out_, cache_;
  std::vector<std::vector<std::uint32_t>> tables_;
};

class Attention : public ::testing::TestWithParam<std::pair<Shape, std::vector<Part>>> {};

TEST_P(Attention, IsSoftmaxOfQueriesAndKeysTimesValues) {
  Problem problem(GetParam().first, GetParam().second);
  soc::Machine machine(test_machines::small_machine());
  const isa::Kernel kernel = attention(machine.config().accel.shape(), problem.args, "attention");
  const soc::Activity activity = machine.run(kernel, true);
  EXPECT_LT(problem.worst_error(), 2e-5);
  // Every cached token of a walk is read at least once, and engines do at least the visible part.
  EXPECT_GE(activity.matrix_flops, kernel.flops);
  for (const probe::StallCycles& stalls : activity.stalls) {
    EXPECT_EQ(stalls.total(), activity.cycles * machine.config().accel.cores);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mixes, Attention,
    ::testing::Values(std::pair{Shape{4, 4, 8}, std::vector<Part>{{1, 1}}},
                      std::pair{Shape{4, 2, 16}, std::vector<Part>{{1, 300}, {1, 16}, {1, 129}}},
                      std::pair{Shape{8, 2, 8}, std::vector<Part>{{150, 150}}},
                      std::pair{Shape{2, 1, 8}, std::vector<Part>{{140, 400}, {1, 77}, {2, 2}}},
                      std::pair{Shape{2, 2, 32}, std::vector<Part>{{1, 128}, {128, 256}}}));

// A cache, and cores that two thread blocks fill.
soc::MachineConfig block_machine(std::int64_t blocks) {
  soc::MachineConfig config = test_machines::small_machine();
  config.accel.shared_is_cache = true;
  config.accel.blocks = blocks;
  config.accel.block_ns = 200;
  config.accel.engines_alternate = true;
  return config;
}

TEST_P(Attention, IsTheSameInLanes) {
  for (const std::int64_t blocks : {1, 2}) {
    Problem problem(GetParam().first, GetParam().second);
    problem.args.most_splits = 128;
    soc::Machine machine(block_machine(blocks));
    machine.run(attention(machine.config().accel.shape(), problem.args, "attention"), true);
    EXPECT_LT(problem.worst_error(), 2e-5) << blocks;
  }
}

// The scores of a tile wait for the softmax of the one before, which only values are multiplied
// beside.
TEST(AttentionPipeline, ALoneBlockOverlapsItsSoftmaxWithOneProduct) {
  soc::MachineConfig config = block_machine(1);
  config.accel.engines_alternate = false;
  config.accel.cores = 1;
  config.accel.block_ns = 0;
  config.accel.special_lanes = 2;
  Problem problem({1, 1, 32}, {{32, 4096}});
  const isa::CoreShape shape = config.accel.shape();
  const std::int64_t keys = attention_tiles(shape, problem.args).key_tile;
  isa::MatrixOp product;
  product.m = 32;
  product.n = keys;
  product.k = 32;
  product.dtype = problem.args.q.dtype;
  const core::Cycle score = accel::matrix_cycles(config.accel, product).occupancy;
  const core::Cycle softmax = accel::vector_cycles(
      config.accel, {.elements = 32 * keys, .passes = 5, .exponentials = 32 * keys});
  ASSERT_GT(softmax, score);
  soc::Machine machine(config);
  const soc::Activity activity = machine.run(attention(shape, problem.args, "attention"), false);
  const auto tiles = 4096 / keys;
  const core::Cycle bound = tiles * (score + softmax);
  EXPECT_GE(activity.cycles - activity.launch_cycles, bound);
  EXPECT_LT(activity.cycles - activity.launch_cycles, bound + bound / 4);
}

// Two halves of the rows in turn: four products a tile hide both softmaxes, each shorter than the
// three products that are not its own half's scores.
TEST(AttentionPipeline, HalvesOfALoneBlockOverlapTheirSoftmaxes) {
  soc::MachineConfig config = block_machine(1);
  config.accel.engines_alternate = false;
  config.accel.cores = 1;
  config.accel.block_ns = 0;
  config.accel.accumulator_bytes = 256 * 1024;
  config.accel.special_lanes = 4;
  Problem problem({1, 1, 32}, {{128, 4096}});
  const isa::CoreShape shape = config.accel.shape();
  const AttentionTiles tiles = attention_tiles(shape, problem.args);
  ASSERT_TRUE(tiles.halves);
  ASSERT_EQ(tiles.query_tiles, 2);
  ASSERT_EQ(tiles.tile_rows, 64);
  isa::MatrixOp product;
  product.m = 64;
  product.n = tiles.key_tile;
  product.k = 32;
  product.dtype = problem.args.q.dtype;
  const core::Cycle score = accel::matrix_cycles(config.accel, product).occupancy;
  const std::int64_t scores = 64 * tiles.key_tile;
  const core::Cycle softmax = accel::vector_cycles(
      config.accel, {.elements = scores * 5 + 64 * 32, .passes = 1, .exponentials = scores});
  ASSERT_GT(softmax, score);
  ASSERT_LT(2 * softmax, 4 * score);
  soc::Machine machine(config);
  const soc::Activity activity = machine.run(attention(shape, problem.args, "attention"), false);
  const core::Cycle bound = 4096 / tiles.key_tile * 4 * score;
  EXPECT_GE(activity.cycles - activity.launch_cycles, bound);
  EXPECT_LT(activity.cycles - activity.launch_cycles, bound + bound / 10);
}

// The bits of a row, sinks and all, do not depend on the halves; the last block has one and a part.
TEST(AttentionPipeline, HalvesGiveTheSameBits) {
  const Shape shape{4, 2, 16};
  const std::vector<Part> parts{{200, 300}, {128, 128}, {1, 77}, {30, 60}};
  std::vector<float> sinks = test_machines::seeded_values(4, 9);
  Tensor sink_row;
  sink_row.dtype = core::DType::kFp32;
  sink_row.rows = 1;
  sink_row.cols = 4;
  sink_row.values = sinks.data();
  std::vector<std::vector<float>> outputs;
  for (const soc::MachineConfig& config : {test_machines::small_machine(), block_machine(1)}) {
    Problem problem(shape, parts);
    problem.args.sinks = sink_row;
    soc::Machine machine(config);
    const isa::CoreShape cores = config.accel.shape();
    EXPECT_EQ(attention_tiles(cores, problem.args).halves, config.accel.blocks == 1);
    EXPECT_EQ(attention_tiles(cores, problem.args).key_tile, kKeyTile);
    machine.run(attention(cores, problem.args, "attention"), true);
    outputs.push_back(problem.out());
  }
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST(AttentionLanes, AsManyAsBlocksAndTwiceThatForLoneRows) {
  const std::vector<Part> parts(9, {1, 64});
  for (const std::int64_t blocks : {1, 2}) {
    const isa::CoreShape shape = block_machine(blocks).accel.shape();
    EXPECT_EQ(attention_tiles(shape, Problem({4, 2, 8}, parts).args).lanes, blocks);
    EXPECT_EQ(attention_tiles(shape, Problem({4, 4, 8}, parts).args).lanes, 2 * blocks);
    EXPECT_EQ(attention_tiles(shape, Problem({4, 2, 8}, {{2, 64}, {1, 64}}).args).lanes, 1);
  }
  // Nine sequences of two walks go round four cores, lane after lane.
  const AttentionPlan plan =
      plan_attention(block_machine(2).accel.shape(), Problem({4, 2, 8}, parts).args);
  for (std::size_t core = 0; core < 4; ++core) {
    const auto in_second = std::count_if(plan.by_core[core].begin(), plan.by_core[core].end(),
                                         [](const AttentionItem& item) { return item.lane == 1; });
    EXPECT_EQ(in_second, 2);
    EXPECT_EQ(plan.by_core[core].size(), core < 2 ? 5u : 4u);
  }
}

// What a walk alone on its core takes, a second one beside it hardly lengthens.
TEST(AttentionLanes, AWalkAloneHasItsShareOfTheEngines) {
  const auto cycles = [](std::int64_t blocks, std::size_t walks) {
    soc::MachineConfig config = block_machine(blocks);
    config.accel.cores = 1;
    Problem problem({8, 1, 32}, std::vector<Part>(walks, {1, 2000}));
    soc::Machine machine(config);
    const soc::Activity activity =
        machine.run(attention(config.accel.shape(), problem.args, "attention"), false);
    return static_cast<double>(activity.cycles - activity.launch_cycles);
  };
  EXPECT_LT(cycles(2, 2), 1.1 * cycles(2, 1));
  EXPECT_NEAR(cycles(1, 2) / cycles(1, 1), 2, 0.1);  // one by one
}

TEST(AttentionSplits, MergingPartsGivesTheWhole) {
  const Shape shape{4, 1, 16};
  Problem whole(shape, {{1, 1000}});
  Problem split(shape, {{1, 1000}});
  split.args.most_splits = 128;
  soc::Machine machine(test_machines::small_machine());
  const isa::CoreShape cores = machine.config().accel.shape();
  ASSERT_GT(plan_attention(cores, split.args).partials, 1);
  machine.reset_memory();
  const soc::Activity slow = machine.run(attention(cores, whole.args, "attention"), true);
  machine.reset_memory();
  const soc::Activity fast = machine.run(attention(cores, split.args, "attention"), true);
  EXPECT_LT(split.worst_error(), 2e-5);
  for (std::size_t i = 0; i < whole.out().size(); ++i) {
    EXPECT_NEAR(split.out()[i], whole.out()[i], 1e-5);
  }
  EXPECT_LT(fast.cycles, slow.cycles);  // four cores instead of one
}

TEST(AttentionSplits, FewestWithinTheBestWaveEfficiency) {
  EXPECT_EQ(choose_splits(8, 16, 1), 1);      // not allowed
  EXPECT_EQ(choose_splits(13, 16, 128), 1);   // >= 0.8 walks per core
  EXPECT_EQ(choose_splits(8, 16, 128), 2);    // two halves fill 16 cores exactly
  EXPECT_EQ(choose_splits(1, 108, 128), 92);  // 92/108 is the first within 85 % of 108/108
}

TEST(AttentionWork, DecodeIsHeadsPerKvHeadFlopsPerByteWhateverTheBatch) {
  for (const auto& [heads, kv_heads] : {std::pair{32, 32}, std::pair{32, 8}, std::pair{64, 8}}) {
    for (const std::int64_t batch : {1, 5}) {
      AttentionArgs args;
      args.heads = heads;
      args.cache.kv_heads = kv_heads;
      args.cache.head_dim = 128;
      args.sequences.assign(static_cast<std::size_t>(batch), {0, 1, 2048, nullptr});
      const double bytes = static_cast<double>(batch) * 2 * 2 * kv_heads * 128 * 2048;
      EXPECT_DOUBLE_EQ(attention_flops(args) / bytes, static_cast<double>(heads) / kv_heads);
    }
  }
}

}  // namespace
}  // namespace ridgepoint::kernels
