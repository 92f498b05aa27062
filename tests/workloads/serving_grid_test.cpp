// SPDX-License-Identifier: Apache-2.0
// Remembered step times: rooflines from few points, attention of any batch from a few batches, the
// error measured against fresh runs; and against the simulated machine itself.
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/kernels/machines.hpp"
#include "tests/workloads/serving_machine.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/serving/machine_step_time.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

// Streams to 280 rows, then computes; a further pass over the weights costs the stream again.
core::Femtoseconds roofline(std::int64_t rows) {
  const std::int64_t passes = (rows + 1023) / 1024;
  return std::max<std::int64_t>(280'000 * passes, 1000 * rows) + 500 * passes;
}

TEST(LinearTimes, ARooflineNeedsFewPoints) {
  int calls = 0;
  LinearTimes times(
      [&](std::int64_t rows) {
        ++calls;
        return roofline(rows);
      },
      1024, {}, 0.05);
  for (std::int64_t rows = 1; rows <= 1024; ++rows) {
    EXPECT_NEAR(times.at(rows) / static_cast<double>(roofline(rows)), 1, 0.05) << rows;
  }
  EXPECT_LE(calls, 7);
  for (std::int64_t rows = 1025; rows <= 8192; ++rows) {
    EXPECT_NEAR(times.at(rows) / static_cast<double>(roofline(rows)), 1, 0.03) << rows;
  }
  EXPECT_LE(calls, 9);  // two more, whatever the number of passes
}

TEST(LinearTimes, PointsAreTheMachinesOwn) {
  LinearTimes times(&roofline, 1024, {}, 0.05);
  for (const std::int64_t rows : {1, 64, 256, 512, 1024, 1025, 2048}) {
    EXPECT_EQ(times.at(rows), static_cast<double>(roofline(rows))) << rows;
  }
}

TEST(LinearTimes, DenseOnesFollowJumps) {
  const auto steps = [](std::int64_t rows) {
    return core::Femtoseconds{10'000 + (rows >= 100 ? 5000 : 0) + 10 * rows};
  };
  LinearTimes times(steps, 1024, {.exact = 0, .per_octave = 16}, 0.05);
  for (std::int64_t rows = 1; rows <= 1024; ++rows) {
    if (rows > 96 && rows < 100) continue;  // between the points around the jump
    EXPECT_NEAR(times.at(rows) / static_cast<double>(steps(rows)), 1, 0.01) << rows;
  }
}

// Where points are cheap, small sizes are all points, jumps or not.
TEST(LinearTimes, SmallSizesAreExact) {
  const auto ragged = [](std::int64_t rows) {
    return core::Femtoseconds{10'000 + rows * 37 % 900};
  };
  LinearTimes times(ragged, 1024, {.exact = 200, .per_octave = 16}, 0.05);
  for (std::int64_t rows = 1; rows <= 200; ++rows) {
    EXPECT_EQ(times.at(rows), static_cast<double>(ragged(rows))) << rows;
  }
  EXPECT_EQ(times.points(), 200u);
  for (std::int64_t rows = 201; rows <= 1024; ++rows) times.at(rows);
  EXPECT_LE(times.points(), 200u + 16 * 3);
}

TEST(LinearTimes, WhatIsWantedIsAllThatIsAsked) {
  std::vector<std::int64_t> asked;
  LinearTimes times(
      [&](std::int64_t rows) {
        asked.push_back(rows);
        return roofline(rows);
      },
      1024, {}, 0.2);
  const std::vector<std::int64_t> wanted = times.wanted(100);
  EXPECT_EQ(wanted, (std::vector<std::int64_t>{1, 64, 256, 512}));
  for (std::int64_t rows = 1; rows <= 100; ++rows) times.at(rows);
  for (const std::int64_t rows : asked) {
    EXPECT_NE(std::find(wanted.begin(), wanted.end(), rows), wanted.end()) << rows;
  }
  EXPECT_EQ(times.wanted(5000), (std::vector<std::int64_t>{1, 64, 256, 512, 1024, 1025, 2048}));
}

// Two passes cost what two single ones do, but for what a kernel has once: never asked for whole.
TEST(LinearTimes, FurtherPassesAreKnownFromOne) {
  const auto passes_of = [](std::int64_t rows) {
    const std::int64_t passes = (rows + 1023) / 1024;
    const std::int64_t each = (rows + passes - 1) / passes;
    return 700 + passes * (std::max<std::int64_t>(280'000, 1000 * each) + (each > 512 ? 900 : 0));
  };
  std::int64_t largest = 0;
  LinearTimes times(
      [&](std::int64_t rows) {
        largest = std::max(largest, rows);
        return passes_of(rows);
      },
      1024, {}, 0.05, [](std::int64_t) { return core::Femtoseconds{700}; });
  for (const std::int64_t rows : {1025, 1500, 2048, 3000, 4096}) {
    EXPECT_NEAR(times.at(rows) / static_cast<double>(passes_of(rows)), 1, 0.01) << rows;
  }
  EXPECT_LE(largest, 1024);
  EXPECT_EQ(times.wanted(5000), (std::vector<std::int64_t>{1, 64, 256, 512, 513, 1024}));
}

TEST(LinearTimes, BadArgumentsAreRefused) {
  EXPECT_THROW(LinearTimes(&roofline, 0, {}, 0.05), core::InputError);
  EXPECT_THROW(LinearTimes(&roofline, 1024, {.exact = 0, .per_octave = -1}, 0.05),
               core::InputError);
  EXPECT_THROW(LinearTimes(&roofline, 1024, {}, 0), core::InputError);
}

StepBatch batch_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& sequences) {
  StepBatch batch;
  batch.block_tokens = 16;
  for (const auto& [tokens, context] : sequences) {
    ServedSequence sequence;
    sequence.new_tokens = tokens;
    sequence.context = context;
    sequence.sampled = true;
    batch.sequences.push_back(sequence);
    batch.new_tokens += tokens;
    ++batch.sampled_rows;
  }
  return batch;
}

TEST(GridStepTime, LargeBatchesAreNotSimulatedWhole) {
  testing_machine::ClosedForm machine;
  GridStepTime grid(machine);
  std::vector<std::pair<std::int64_t, std::int64_t>> sequences(128, {1, 2047});
  const double expected =
      static_cast<double>(machine.linear_part(128) + machine.sampling_part(128)) + 20e9 +
      128 * 2048 * testing_machine::kKvBytesPerToken / testing_machine::kBytesPerSecond * 1e15;
  EXPECT_NEAR(static_cast<double>(grid.step_time(batch_of(sequences))) / expected, 1, 0.01);
  EXPECT_LE(machine.largest_read, 8192 + 2048);
}

// Building the kernels of what is known already would cost more than the step.
TEST(GridStepTime, WhatIsPreparedIsNotAskedForAgain) {
  for (const bool even : {false, true}) {
    testing_machine::ClosedForm machine;
    machine.even_passes = even;
    GridStepTime grid(machine);
    const auto serve = [&](std::int64_t tokens) { grid.step_time(batch_of({{tokens, 0}})); };
    for (const std::int64_t tokens : {1, 700, 2048, 5000}) serve(tokens);
    const std::int64_t once = machine.prepared;
    for (const std::int64_t tokens : {1, 700, 2048, 5000, 4999, 1500}) serve(tokens);
    EXPECT_EQ(machine.prepared, once) << "even passes: " << even;
  }
}

TEST(GridStepTime, ErrorIsMeasuredOnStepsOfTheRun) {
  testing_machine::ClosedForm machine;
  GridStepTime grid(machine);
  EXPECT_EQ(grid.measure_error(10, 1).points, 0);  // nothing was asked yet
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sequences;
    const auto decodes = 1 + random.below(120);
    for (std::uint64_t k = 0; k < decodes; ++k) {
      sequences.emplace_back(1, static_cast<std::int64_t>(random.below(4000)));
    }
    if (i % 3 == 0) sequences.emplace_back(2 + static_cast<std::int64_t>(random.below(1500)), 0);
    grid.step_time(batch_of(sequences));
  }
  const std::int64_t before = machine.calls;
  const GridStepTime::Error error = grid.measure_error(100, 9);
  EXPECT_GE(machine.calls, before + 300);
  EXPECT_EQ(error.points, 100);
  EXPECT_LE(error.median_ratio, 0.02);
  EXPECT_LT(grid.machine_points(), 200u);
}

// On the simulated machine: steps of a small model under random batches, each run whole.
class OnTheMachine : public ::testing::Test {
 protected:
  OnTheMachine() : machine(test_machines::small_machine()) {
    spec.kv_blocks = 5000;
    spec.max_batch_tokens = 512;
    spec.max_num_seqs = 64;
    spec.memory_bytes = machine.hbm_bytes();
  }
  soc::Machine machine;
  MachineStepSpec spec;
  const ModelShape& shape = find_model("stories260K");

  std::vector<std::pair<std::int64_t, std::int64_t>> drawn(Random& random) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> sequences;
    const auto decodes = random.below(30);
    for (std::uint64_t k = 0; k < decodes; ++k) {
      sequences.emplace_back(1, static_cast<std::int64_t>(random.below(500)));
    }
    if (sequences.empty() || random.below(4) == 0) {
      sequences.emplace_back(2 + static_cast<std::int64_t>(random.below(200)),
                             static_cast<std::int64_t>(random.below(200)));
    }
    return sequences;
  }
};

TEST_F(OnTheMachine, MixedBatchesCostWhatTheirKernelsCost) {
  MachineKernelTimes kernels(machine, shape, spec);
  GridStepTime grid(kernels);
  Random random(11);
  for (int i = 0; i < 3000; ++i) grid.step_time(batch_of(drawn(random)));
  const GridStepTime::Error error = grid.measure_error(60, 3);
  RecordProperty("median_ratio", std::to_string(error.median_ratio));
  RecordProperty("worst_ratio", std::to_string(error.worst_ratio));
  std::cout << "median " << error.median_ratio << " worst " << error.worst_ratio << '\n';
  EXPECT_LE(error.median_ratio, 0.01);
  EXPECT_LE(error.worst_ratio, 0.03);
}

// Layers of other kinds: what is in a row's part and what is in attention differs.
ModelShape small_shape() {
  ModelShape shape;
  shape.layers = 4;
  shape.d_model = 256;
  shape.heads = 8;
  shape.kv_heads = 2;
  shape.head_dim = 32;
  shape.ffn_dim = 512;
  shape.vocab = 1000;
  shape.rope_theta = 10000;
  shape.rotary_dim = 32;
  shape.max_context = 4096;
  return shape;
}

TEST_F(OnTheMachine, WindowsExpertsAndLatentAttention) {
  ModelShape windows = small_shape();
  windows.name = "windows";
  windows.sliding_window = 200;
  windows.window_local_layers = 3;
  windows.window_global_layers = 1;
  ModelShape experts = small_shape();
  experts.name = "experts";
  experts.moe = MoeShape{8, 2, 128, 1, 1, false};
  ModelShape latent = small_shape();
  latent.name = "latent";
  latent.kv_heads = latent.heads;
  latent.head_dim = 48;
  latent.rotary_dim = 16;
  latent.mla = MlaShape{0, 64, 32, 16, 32};
  for (const ModelShape& one : {windows, experts, latent}) {
    MachineKernelTimes kernels(machine, one, spec);
    GridStepTime grid(kernels);
    Random random(11);
    for (int i = 0; i < 2000; ++i) grid.step_time(batch_of(drawn(random)));
    const GridStepTime::Error error = grid.measure_error(30, 3);
    std::cout << one.name << ": median " << error.median_ratio << " worst " << error.worst_ratio
              << '\n';
    EXPECT_LE(error.median_ratio, 0.01) << one.name;
    EXPECT_LE(error.worst_ratio, 0.03) << one.name;
  }
}

// The same of the machine's kernels. Layers here are a hundredth of those it is used for, so that
// ramps, which differ between layers, weigh a hundred times as much.
TEST_F(OnTheMachine, ASecondPassCostsAFirstOneLessItsLaunch) {
  MachineKernelTimes kernels(machine, find_model("smollm2-135m"), spec);
  ASSERT_TRUE(kernels.geometry().even_passes);
  const std::int64_t pass = kernels.geometry().row_tile;
  const auto once = static_cast<double>(kernels.linear_part(pass));
  const auto saved = static_cast<double>(kernels.second_pass_saving(pass));
  EXPECT_GT(saved, 0);
  EXPECT_LT(saved, 0.1 * once);
  EXPECT_NEAR((2 * once - saved) / static_cast<double>(kernels.linear_part(2 * pass)), 1, 0.02);
}

TEST_F(OnTheMachine, ATimeDoesNotDependOnWhatWasAskedBefore) {
  const std::vector<AttendingSequence> batch{{1, 300}, {1, 77}, {40, 100}};
  MachineKernelTimes first(machine, shape, spec);
  const auto attention = first.attention(batch);
  const auto linear = first.linear_part(33);
  MachineKernelTimes second(machine, shape, spec);
  second.sampling_part(7);
  EXPECT_EQ(second.linear_part(33), linear);
  EXPECT_EQ(second.attention(batch), attention);
  // Nor on the pool or the limits of the run.
  MachineStepSpec other = spec;
  other.kv_blocks = 90'000;
  other.max_batch_tokens = 2048;
  MachineKernelTimes third(machine, shape, other);
  EXPECT_EQ(third.attention(batch), attention);
}

TEST_F(OnTheMachine, CopiesOfTheMachineAgreeWithIt) {
  using Part = KernelQuery::Part;
  const std::vector<KernelQuery> queries{{Part::kLinear, 512, {}},
                                         {Part::kSampling, 64, {}},
                                         {Part::kAttention, 0, {{1, 4000}, {64, 100}}}};
  MachineKernelTimes alone(machine, find_model("smollm2-135m"), spec);
  spec.workers = 2;
  MachineKernelTimes together(machine, find_model("smollm2-135m"), spec);
  together.prepare(queries);
  const std::size_t prepared = together.simulated();
  EXPECT_GT(prepared, 5u);
  EXPECT_EQ(together.linear_part(512), alone.linear_part(512));
  EXPECT_EQ(together.sampling_part(64), alone.sampling_part(64));
  EXPECT_EQ(together.attention(queries[2].batch), alone.attention(queries[2].batch));
  EXPECT_EQ(together.simulated(), prepared) << "something was simulated again";
  const std::vector<AttendingSequence> batch{{1, 3000}, {1, 2000}, {64, 100}};
  together.prepare({{{Part::kWholeStep, 2, batch}}});
  EXPECT_GT(together.simulated(), prepared);
  EXPECT_EQ(together.whole_step(batch, 2).time, alone.whole_step(batch, 2).time);
}

}  // namespace
}  // namespace ridgepoint::workloads
