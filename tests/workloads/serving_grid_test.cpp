// SPDX-License-Identifier: Apache-2.0
// The lazily filled grid of step times: exact where the machine is linear, refined where it bends,
// its error measured against fresh runs.
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/workloads/serving_machine.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

TEST(AdaptiveGrid, LinearFunctionsNeedFewPoints) {
  int calls = 0;
  AdaptiveGrid grid(
      [&](std::int64_t x) {
        ++calls;
        return 1000 + 7 * x;
      },
      0.01);
  for (std::int64_t x = 512; x <= 1024; ++x) {
    EXPECT_NEAR(grid.at(x), static_cast<double>(1000 + 7 * x), 1e-6);
  }
  EXPECT_LE(calls, 4);  // both ends of [256, 1024], the middle that proves it, and 1024 itself
  EXPECT_EQ(grid_ceiling(512), 1024);
  EXPECT_EQ(grid_ceiling(1024), 1024);
  EXPECT_EQ(grid_ceiling(1025), 2048);
  EXPECT_EQ(grid_ceiling(2), 64);
}

TEST(AdaptiveGrid, AFlatSpanNeedsItsEndsOnly) {
  int calls = 0;
  AdaptiveGrid grid(
      [&](std::int64_t x) {
        ++calls;
        return 100'000 + 20 * x;
      },
      0.015);
  for (std::int64_t x = 1; x <= 64; ++x) EXPECT_NEAR(grid.at(x), 100'000.0 + 20.0 * x, 1e-6);
  EXPECT_EQ(calls, 2);
}

TEST(GridStepTime, LargeDecodesContinueTheSlopeOfSmallerOnes) {
  // The closed form is affine in the batch, so the continued value is exact, and nothing above
  // 65,536 tokens was asked.
  class Watched final : public KernelTimes {
   public:
    testing_machine::ClosedForm inner;
    std::int64_t largest = 0;
    core::Femtoseconds linear_part(std::int64_t tokens, std::int64_t sampled) override {
      return inner.linear_part(tokens, sampled);
    }
    core::Femtoseconds decode_attention(std::int64_t batch, std::int64_t context) override {
      largest = std::max(largest, batch * context);
      return inner.decode_attention(batch, context);
    }
    core::Femtoseconds prefill_attention(std::int64_t tokens, std::int64_t context) override {
      return inner.prefill_attention(tokens, context);
    }
  } machine;
  GridStepTime grid(machine);
  StepBatch batch;
  for (int i = 0; i < 128; ++i) {
    ServedSequence sequence;
    sequence.new_tokens = 1;
    sequence.context = 2047;
    batch.sequences.push_back(sequence);
  }
  batch.new_tokens = 128;
  const double expected = static_cast<double>(machine.inner.linear_part(128, 0) +
                                              machine.inner.decode_attention(128, 2048));
  EXPECT_NEAR(static_cast<double>(grid.step_time(batch)) / expected, 1, 1e-9);
  EXPECT_LE(machine.largest, 65'536);
}

TEST(AdaptiveGrid, KinksAreFoundToTheTolerance) {
  // Roofline: flat to 150, then proportional; with a jump at 700.
  const auto machine = [](std::int64_t x) {
    return (x < 150 ? 150'000 : 1000 * x) + (x >= 700 ? 40'000 : 0);
  };
  AdaptiveGrid grid([&](std::int64_t x) { return machine(x); }, 0.01);
  for (std::int64_t x = 1; x <= 1024; ++x) {
    EXPECT_NEAR(grid.at(x) / static_cast<double>(machine(x)), 1, 0.06) << x;
  }
  EXPECT_LT(grid.points(), 60u);
}

TEST(ProductGrid, ExactForAffineWorkInBothDirections) {
  int calls = 0;
  ProductGrid grid(
      [&](std::int64_t x, std::int64_t y) {
        ++calls;
        return 100 + 3 * x + 5 * y + 2 * x * y;
      },
      [](double x, double) { return x; }, 2);
  EXPECT_NEAR(grid.at(97, 1228.25), 100 + 3 * 97 + 5 * 1228.25 + 2 * 97 * 1228.25, 1e-6);
  EXPECT_EQ(calls, 4);
  EXPECT_NEAR(grid.at(100, 1100), 100 + 3 * 100 + 5 * 1100 + 2 * 100 * 1100, 1e-6);
  EXPECT_EQ(calls, 4);  // same cell
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

TEST(GridStepTime, AStepIsTheSumOfItsParts) {
  testing_machine::ClosedForm machine;
  GridStepTime grid(machine);
  // On grid points the parts are the machine's own numbers.
  const auto expected = machine.linear_part(256, 0) +
                        (machine.linear_part(4, 4) - machine.linear_part(4, 0)) +
                        machine.prefill_attention(253, 512) + machine.decode_attention(3, 96);
  const auto time = grid.step_time(batch_of({{1, 95}, {1, 95}, {1, 95}, {253, 512}}));
  EXPECT_NEAR(static_cast<double>(time) / static_cast<double>(expected), 1, 1e-3);
}

TEST(GridStepTime, UnequalContextsCountByTheirMean) {
  testing_machine::ClosedForm machine;
  GridStepTime grid(machine);
  EXPECT_EQ(grid.step_time(batch_of({{1, 100}, {1, 300}})),
            grid.step_time(batch_of({{1, 200}, {1, 200}})));
}

TEST(GridStepTime, ErrorIsMeasuredOnFreshPoints) {
  testing_machine::ClosedForm machine;
  GridStepTime grid(machine);
  EXPECT_EQ(grid.measure_error(10, 1).points, 0);  // nothing was asked yet
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sequences;
    const auto decodes = random.below(120);
    for (std::uint64_t k = 0; k < decodes; ++k) {
      sequences.emplace_back(1, static_cast<std::int64_t>(random.below(4000)));
    }
    sequences.emplace_back(2 + static_cast<std::int64_t>(random.below(2000)),
                           static_cast<std::int64_t>(random.below(4000)));
    grid.step_time(batch_of(sequences));
  }
  const std::int64_t before = machine.calls;
  const GridStepTime::Error error = grid.measure_error(300, 9);
  EXPECT_GE(machine.calls, before + 300);
  EXPECT_EQ(error.points, 300);
  EXPECT_LE(error.median_ratio, 0.01);
  EXPECT_LE(error.worst_ratio, 0.03);
  EXPECT_LT(grid.machine_points(), 400u);
}

TEST(GridStepTime, BadOptionsAreRefused) {
  testing_machine::ClosedForm machine;
  EXPECT_THROW(GridStepTime(machine, {.tolerance = 0}), core::InputError);
  EXPECT_THROW(GridStepTime(machine, {.points_per_octave = 0}), core::InputError);
}

}  // namespace
}  // namespace ridgepoint::workloads
