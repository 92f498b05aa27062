// SPDX-License-Identifier: Apache-2.0
// Predictions of a few published measurements stay as close as they are. Bounds are a little above
// what the subsample gives; results/baseline/validation_summary.csv has the whole picture.
#include <gtest/gtest.h>

#include "results/csv_reader.hpp"
#include "tests/robustness/program.hpp"
#include "tests/workloads/shared_files.hpp"

namespace ridgepoint::tests {
namespace {

struct Bound {
  const char* family;
  const char* every;
  const char* most_gb;
  const char* size_class;
  double median, p90;
  friend void PrintTo(const Bound& bound, std::ostream* out) { *out << bound.family; }
};

class Accuracy : public ProgramTest, public ::testing::WithParamInterface<Bound> {};

TEST_P(Accuracy, OfASubsample) {
  RIDGEPOINT_NEED_SHARED("measured");
  const Bound bound = GetParam();
  const Outcome outcome = run({"validate", "--measured", testing_files::shared_file("measured"),
                               "--family", bound.family, "--every", bound.every, "--most_gb",
                               bound.most_gb, "--csv", "v.csv", "--summary_csv", "s.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  int machines = 0;
  results::CsvReader rows((folder() / "s.csv").string());
  while (rows.next()) {
    if (rows.text("half") != "all" || rows.text("size_class") != bound.size_class) continue;
    ++machines;
    EXPECT_LE(rows.real("error_median_ratio").value(), bound.median) << rows.text("machine");
    EXPECT_LE(rows.real("error_p90_ratio").value(), bound.p90) << rows.text("machine");
  }
  EXPECT_EQ(machines, 2) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Families, Accuracy,
    ::testing::Values(Bound{"decode_attention", "9", "0.3", "long", 0.03, 0.03},
                      Bound{"gemm", "7", "0.15", "m<=64", 0.045, 0.12},
                      Bound{"prefill_attention", "16", "0.15", "long", 0.085, 0.11},
                      Bound{"kv_blocks", "1", "1", "logged", 0.03, 0.05}),
    [](const auto& one) { return std::string(one.param.family); });

}  // namespace
}  // namespace ridgepoint::tests
