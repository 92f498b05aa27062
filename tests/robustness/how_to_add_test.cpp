// SPDX-License-Identifier: Apache-2.0
// CONTRIBUTING.md's recipes, followed by how_to_add.sh: each makes a program that has what was
// added and otherwise says what this one says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "results/csv_reader.hpp"
#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;

class HowToAdd : public ProgramTest {
 protected:
  int shell(const std::string& command) const {
    return std::system(("cd '" + folder().string() + "' && (" + command + ") >log 2>&1").c_str());
  }
  void follow(const std::string& recipe) const {
    ASSERT_EQ(shell("CXX='" RIDGEPOINT_COMPILER "' CXXFLAGS='" RIDGEPOINT_CXX_FLAGS
                    "' '" RIDGEPOINT_SOURCE_DIR "/tests/robustness/how_to_add.sh' " +
                    recipe + " '" RIDGEPOINT_BINARY_DIR "'"),
              0)
        << slurp(folder() / "log");
  }
  std::string log_of(const std::string& command) const {
    EXPECT_EQ(shell(command), 0) << command << '\n' << slurp(folder() / "log");
    return slurp(folder() / "log");
  }
  // The only row of a.csv.
  std::string cell(const std::string& column) const {
    results::CsvReader reader(folder() / "a.csv");
    EXPECT_TRUE(reader.next());
    return reader.text(column);
  }
};

TEST_F(HowToAdd, ADramStandard) {
  ASSERT_NO_FATAL_FAILURE(follow("standard"));
  EXPECT_THAT(log_of("./ridgepoint list dram"), HasSubstr("\nHBM3X,"));
  // Its commands obey its rules, says the checker that knows it from the same file.
  const std::string dram =
      "./ridgepoint dram --hbm.standard HBM3X --hbm.pin_rate_gbps 12 --bytes 1048576 --csv a.csv "
      "--command-trace c.txt";
  log_of(dram + " && ./ridgepoint check --dram-trace c.txt");
  EXPECT_EQ(cell("standard"), "HBM3X");
  EXPECT_NE(run({"dram", "--hbm.standard", "HBM3X"}).exit_code, 0);
}

TEST_F(HowToAdd, AKernel) {
  ASSERT_NO_FATAL_FAILURE(follow("kernel"));
  log_of("./ridgepoint run --model stories260K --csv r.csv --kernels-csv a.csv");
  EXPECT_THAT(slurp(folder() / "a.csv"), HasSubstr(",copy,"));
  // It moves values without changing them: the same text.
  log_of("./ridgepoint generate --prompt-tokens 1,4,5 --steps 5 --csv a.csv");
  const std::string tokens = cell("generated_tokens");
  EXPECT_EQ(
      run({"generate", "--prompt-tokens", "1,4,5", "--steps", "5", "--csv", "a.csv"}).exit_code, 0);
  EXPECT_EQ(cell("generated_tokens"), tokens);
}

TEST_F(HowToAdd, AScheduler) {
  ASSERT_NO_FATAL_FAILURE(follow("scheduler"));
  const std::string serve =
      "serve --model stories260K --take-requests 20 --csv a.csv --quiet --scheduler ";
  log_of("./ridgepoint " + serve + "mine");
  EXPECT_EQ(cell("scheduler"), "mine");
  const std::string ttft = cell("ttft_mean_ms");
  log_of("./ridgepoint " + serve + "v1");
  EXPECT_EQ(cell("ttft_mean_ms"), ttft);
}

TEST_F(HowToAdd, AnOptionAColumnAndAMachine) {
  ASSERT_NO_FATAL_FAILURE(follow("option"));
  EXPECT_THAT(log_of("./ridgepoint run --help"), HasSubstr("--note"));
  EXPECT_THAT(log_of("./ridgepoint docs columns"), HasSubstr("| `time_us` | us |"));
  log_of("./ridgepoint run --machine mine.ini --model stories260K --note hello --csv a.csv");
  EXPECT_EQ(cell("machine"), "mine");
  EXPECT_EQ(cell("note"), "hello");
  EXPECT_NEAR(std::stod(cell("time_us")), std::stod(cell("time_ns")) / 1000, 1e-9);
  // And it is a sweep axis.
  log_of("./ridgepoint sweep --model stories260K --machine mine.ini --vary note=a,b --csv s.csv");
}

}  // namespace
}  // namespace ridgepoint::tests
