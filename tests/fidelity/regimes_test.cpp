// SPDX-License-Identifier: Apache-2.0
// The two regimes, counted at the HBM pins by the product's own `run`.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fidelity/command.hpp"

namespace ridgepoint {
namespace {

using testing_command::CsvRow;
using testing_command::number;
using testing_command::row_of;
using testing_command::rows_of;

struct Step {
  CsvRow total;
  std::vector<CsvRow> kernels;
};

Step run(std::vector<std::string> arguments) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("ridgepoint_kernels_" + std::to_string(::getpid()) + ".csv"))
                               .string();
  arguments.insert(arguments.begin(), {"run", "--quiet", "--kernels-csv", path});
  Step step;
  step.total = row_of(arguments);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  step.kernels = rows_of(text.str());
  std::filesystem::remove(path);
  return step;
}

double bytes(const CsvRow& row) {
  return number(row, "hbm_read_bytes") + number(row, "hbm_write_bytes");
}

// FLOP per weight byte of the layers' linear kernels, the LM head left out.
double linear_intensity(const Step& step) {
  double flops = 0, weights = 0;
  for (const CsvRow& kernel : step.kernels) {
    if (kernel.at("family") != "linear" || kernel.at("kernel") == "linear.head") continue;
    flops += number(kernel, "flops");
    weights += number(kernel, "weight_bytes");
  }
  return flops / weights;
}

TEST(Regimes, DecodeIsOneFlopPerByte) {
  const Step step = run({"--model", "llama-2-7b", "--phase", "decode", "--context", "512"});
  EXPECT_NEAR(number(step.total, "weight_flop_per_byte"), 1.00, 0.01);
  EXPECT_NEAR(number(step.total, "flop_per_byte"), 1.00, 0.01);
  EXPECT_EQ(step.total.at("bound"), "bandwidth");
}

TEST(Regimes, DecodeOfABatchIsTheBatch) {
  const Step step =
      run({"--model", "llama-2-7b", "--phase", "decode", "--context", "64", "--batch", "64"});
  EXPECT_NEAR(number(step.total, "weight_flop_per_byte"), 64.0, 0.64);
}

TEST(Regimes, PrefillOf512) {
  const Step step = run({"--model", "llama-2-7b", "--phase", "prefill", "--tokens", "512"});
  EXPECT_NEAR(linear_intensity(step), 512.0, 5.12);
  EXPECT_NEAR(number(step.total, "weight_flop_per_byte"), 502.0, 5.02);
  EXPECT_GE(number(step.total, "flop_per_byte"), 350.0);
  // What separates the two is itemised: every byte belongs to one kernel, and is either a weight,
  // the cache or an activation.
  double sum = 0, not_weights = 0;
  for (const CsvRow& kernel : step.kernels) {
    sum += bytes(kernel);
    not_weights += bytes(kernel) - number(kernel, "weight_bytes");
    const double formula = number(kernel, "model_bytes");
    if (formula > 0) {
      EXPECT_NEAR(bytes(kernel), formula, 0.01 * formula) << kernel.at("kernel");
    }
  }
  EXPECT_EQ(sum, bytes(step.total));
  EXPECT_EQ(not_weights, bytes(step.total) - number(step.total, "weight_bytes"));
}

// Smaller tiles, no resident panel: weights are read once per row tile and X once per column tile.
class SmallTiles : public ::testing::TestWithParam<const char*> {};

TEST_P(SmallTiles, IntensityFallsToTheTrafficFormula) {
  const double rows = std::stod(GetParam());
  const Step step = run({"--model", "llama-2-7b", "--phase", "prefill", "--tokens", "512",
                         "--core.tile_rows", GetParam(), "--shared.size_kib", "0"});
  EXPECT_NEAR(linear_intensity(step), rows, 0.01 * rows);
  double flops = 0, measured = 0, formula = 0;
  for (const CsvRow& kernel : step.kernels) {
    if (kernel.at("family") != "linear") continue;
    EXPECT_NEAR(bytes(kernel), number(kernel, "model_bytes"), 0.01 * number(kernel, "model_bytes"))
        << kernel.at("kernel");
    flops += number(kernel, "flops");
    measured += bytes(kernel);
    formula += number(kernel, "model_bytes");
  }
  EXPECT_NEAR(flops / measured, flops / formula, 0.01 * flops / formula);
  EXPECT_LT(flops / measured, rows);
}

INSTANTIATE_TEST_SUITE_P(Rows, SmallTiles, ::testing::Values("128", "256"));

TEST(Regimes, TheBooksSumAndTheRooflineHolds) {
  const Step step = run({"--model", "gpt2-small", "--phase", "prefill", "--tokens", "300"});
  double matrix = 0, hbm = 0;
  for (const auto& [column, value] : step.total) {
    if (column.starts_with("matrix_") && column.ends_with("_ratio") &&
        column != "matrix_utilization_ratio") {
      matrix += std::stod(value);
    }
    if (column.starts_with("hbm_") && column.ends_with("_ratio") &&
        column != "hbm_bandwidth_ratio") {
      hbm += std::stod(value);
    }
  }
  EXPECT_NEAR(matrix, 1.0, 1e-9);
  EXPECT_NEAR(hbm, 1.0, 1e-9);
  EXPECT_GE(number(step.total, "time_ns"), number(step.total, "roofline_ns"));
}

}  // namespace
}  // namespace ridgepoint
