// SPDX-License-Identifier: Apache-2.0
// The shipped suites and their committed tables: every point of a suite stands in its table; quick
// tables are remade byte for byte, one point of each of the others (RIDGEPOINT_SUITES=all: all of
// them). The three columns that name the build are left out. After a change on purpose:
// results/suites.sh NAME.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

#include "results/csv_reader.hpp"
#include "tests/robustness/program.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kSuites = RIDGEPOINT_SOURCE_DIR "/workloads/suites";
const fs::path kTables = RIDGEPOINT_SOURCE_DIR "/results/baseline";

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kSuites)) names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// Without tool_version, git_commit and config_sha256, cells 2 to 4.
std::vector<std::string> results_of(const std::string& text) {
  static const std::regex build("^([^,]*),[^,]*,[^,]*,[^,]*,");
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(std::regex_replace(line, build, "$1,"));
  }
  return lines;
}

class Suites : public ProgramTest, public ::testing::WithParamInterface<std::string> {
 protected:
  static std::string suite() { return kSuites / (GetParam() + ".ini"); }
  static std::string table() { return kTables / (GetParam() + ".csv"); }
};

TEST_P(Suites, EveryPointStandsInItsTable) {
  const Outcome points = run({"sweep", suite(), "--dry-run"});
  ASSERT_EQ(points.exit_code, 0) << points.err;
  results::CsvReader wanted(file("points.csv", points.out));
  results::CsvReader found(table());
  std::istringstream header(points.out.substr(0, points.out.find('\n')));
  std::vector<std::string> columns;
  for (std::string name; std::getline(header, name, ',');) {
    if (name != "config_sha256") columns.push_back(name);
  }
  while (wanted.next()) {
    ASSERT_TRUE(found.next()) << "fewer rows than points";
    EXPECT_EQ(found.text("status"), "ok") << found.text("message");
    for (const std::string& column : columns) {
      EXPECT_EQ(found.text(column), wanted.text(column)) << column;
    }
  }
  EXPECT_FALSE(found.next()) << "more rows than points";
}

TEST_P(Suites, AreRemadeByteForByte) {
  const std::vector<std::string> expected = results_of(slurp(table()));
  ASSERT_GT(expected.size(), 1U) << table();
  const char* which = std::getenv("RIDGEPOINT_SUITES");
  const bool quick = GetParam() == "small" || GetParam() == "context_vs_concurrency";
  if (quick || (which != nullptr && std::string(which) == "all")) {
    const Outcome outcome = run({"sweep", suite(), "--jobs", "2"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(results_of(outcome.out), expected);
    return;
  }
  // The cheapest point: the first one, except that a reserving cache serves fewer steps.
  const std::size_t point = GetParam() == "kv_policies" ? 2 : 1;
  const Outcome outcome = run({"sweep", suite(), "--shard",
                               std::to_string(point) + '/' + std::to_string(expected.size() - 1)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(results_of(outcome.out), ::testing::ElementsAre(expected[0], expected[point]));
}

INSTANTIATE_TEST_SUITE_P(Shipped, Suites, ::testing::ValuesIn(suite_names()),
                         [](const auto& each) { return each.param; });

// Step times of the committed tables against fresh simulations of steps of their runs.
TEST(Baseline, StepTimesAreWithinOnePercentAndThreeAtWorst) {
  results::CsvReader table(kTables / "kv_policies.csv");
  std::size_t rows = 0;
  for (; table.next(); ++rows) {
    EXPECT_LE(table.real("grid_error_median_ratio").value(), 0.01) << "row " << rows + 1;
    EXPECT_LE(table.real("grid_error_max_ratio").value(), 0.03) << "row " << rows + 1;
  }
  EXPECT_EQ(rows, 12U);
}

// Every model of the list decodes and takes a prompt, and moves what its shape says.
TEST(Baseline, EveryModelReadsItsWeightsOnce) {
  results::CsvReader table(kTables / "models.csv");
  std::map<std::string, int> steps;
  while (table.next()) {
    const workloads::ModelShape& shape = workloads::find_model(table.text("model"));
    ++steps[shape.name];
    if (table.text("phase") != "decode") continue;
    const auto params = static_cast<double>(workloads::decode_matmul_params(shape));
    // Norms and the embedding row are read beside the matrices: something in a toy, nothing else.
    const double rest = shape.d_model < 128 ? 0.02 : 0.005;
    EXPECT_NEAR(table.real("weight_bytes").value() / (2 * params), 1, rest) << shape.name;
    EXPECT_GE(table.real("flops").value(), 2 * params) << shape.name;
  }
  EXPECT_EQ(steps.size(), workloads::all_models().size());
  for (const auto& [model, count] : steps) EXPECT_EQ(count, 2) << model;
}

// The expected figures were computed independently from the same traces: percent of the memory
// given to requests that holds cache, and how many run when all requests are there at once.
struct PolicyFigures {
  double used_percent = 0;
  double running = 0;
};
const std::map<std::string, PolicyFigures> kAzure{{"azure-conv max-length 4096 16", {27.9, 29}},
                                                  {"azure-code max-length 4096 16", {35.4, 29}},
                                                  {"azure-conv max-length 8192 16", {15.0}},
                                                  {"azure-code max-length 8192 16", {26.0}},
                                                  {"azure-conv pow2  16", {62.1}},
                                                  {"azure-code pow2  16", {69.9}},
                                                  {"azure-conv oracle  16", {87.9}},
                                                  {"azure-code oracle  16", {96.4}},
                                                  {"azure-conv paged  16", {99.4, 97}},
                                                  {"azure-code paged  16", {99.7, 56}},
                                                  {"azure-conv paged  128", {95.1}},
                                                  {"azure-code paged  128", {97.1}}};

TEST(Baseline, PoliciesOnTheAzureTracesGiveTheIndependentFigures) {
  results::CsvReader table(kTables / "azure_policies.csv");
  std::size_t rows = 0;
  for (; table.next(); ++rows) {
    const std::string name = table.text("trace") + ' ' + table.text("kv_policy") + ' ' +
                             table.text("reserve_tokens_count") + ' ' +
                             table.text("block_tokens_count");
    const PolicyFigures& expected = kAzure.at(name);
    EXPECT_EQ(table.text("status"), "ok") << name;
    if (table.text("requests") == "as they arrive") {
      EXPECT_NEAR(100 * table.real("kv_used_ratio").value(), expected.used_percent, 1) << name;
    } else {
      EXPECT_NEAR(table.real("running_full_mean_count").value(), expected.running, 2) << name;
    }
  }
  EXPECT_EQ(rows, kAzure.size() + 4);
}

class Policies : public ProgramTest {};

// `serve` on both whole traces, every policy: about 100 seconds of processor time.
TEST_F(Policies, AreRemadeFromTheTraces) {
  RIDGEPOINT_NEED_SHARED("traces/AzureLLMInferenceTrace_conv.csv");
  RIDGEPOINT_NEED_SHARED("traces/AzureLLMInferenceTrace_code.csv");
  const std::string made = folder() / "made.csv";
  const std::string command = "sh '" RIDGEPOINT_SOURCE_DIR
                              "/results/policies.sh' '" RIDGEPOINT_PROGRAM "' '" +
                              testing_files::shared_file("traces") + "' '" + made + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(slurp(made), slurp(kTables / "azure_policies.csv"));
}

TEST(Baseline, TheIndexNamesEveryCommittedFile) {
  const std::string index = slurp(RIDGEPOINT_SOURCE_DIR "/results/README.md");
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kTables)) {
    EXPECT_THAT(index, HasSubstr("](baseline/" + entry.path().filename().string() + ")"));
    ++files;
  }
  const std::regex link("\\]\\(baseline/");
  EXPECT_EQ(std::distance(std::sregex_iterator(index.begin(), index.end(), link), {}),
            static_cast<std::ptrdiff_t>(files));
}

}  // namespace
}  // namespace ridgepoint::tests
