// SPDX-License-Identifier: Apache-2.0
// run --explain: what bounds a step, and what it would take if that were lifted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/robustness/command_tables.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;

class Explain : public CommandTables {
 protected:
  // The first number behind `label` at the start of a line.
  static double behind(const std::string& text, const std::string& label) {
    const std::regex line("(^|\n) *" + label + " +([0-9.]+)");
    std::smatch found;
    if (!std::regex_search(text, found, line)) {
      ADD_FAILURE() << "no line " << label << " in\n" << text;
      return 0;
    }
    return std::stod(found[2]);
  }
  Outcome step(std::vector<std::string> more) {
    std::vector<std::string> arguments{"run",     "--model", "smollm2-135m", "--phase", "decode",
                                       "--batch", "4",       "--context",    "256"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(Explain, EveryWhatIfIsAStepOfItsOwn) {
  const Outcome explained = step({"--explain"});
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  const double as_it_is = number(explained.out, "time_ns") / 1e3;

  const Outcome no_launch = step({"--host.launch_ns", "0"});
  ASSERT_EQ(no_launch.exit_code, 0) << no_launch.err;
  EXPECT_NEAR(behind(explained.err, "no launch cost"), number(no_launch.out, "time_ns") / 1e3,
              0.01 * as_it_is);

  const double twice = behind(explained.err, "memory bandwidth x2");
  EXPECT_LT(twice, as_it_is);
  EXPECT_GT(twice, 0.5 * as_it_is);
  EXPECT_LE(behind(explained.err, "matrix and vector rate x2"), 1.001 * as_it_is);
  EXPECT_LE(behind(explained.err, "on-chip memory without limit"), 1.001 * as_it_is);
}

TEST_F(Explain, NamesWhatBoundsTheStepAndWhereItsTimeGoes) {
  const Outcome explained = step({"--explain"});
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.err, HasSubstr("bound by " + cell(explained.out, "bound")));
  EXPECT_THAT(explained.err, HasSubstr("most helps "));
  // Kernels' shares sum to the step.
  const std::size_t from = explained.err.find("where the time goes");
  const std::string kernels =
      explained.err.substr(from, explained.err.find("matrix engines", from) - from);
  const std::regex share("([0-9.]+)%");
  double sum = 0;
  for (std::sregex_iterator it(kernels.begin(), kernels.end(), share), end; it != end; ++it) {
    sum += std::stod((*it)[1]);
  }
  EXPECT_NEAR(sum, 100, 0.5);
  EXPECT_EQ(explained.out, step({}).out) << "what-ifs leave the table alone";
}

}  // namespace
}  // namespace ridgepoint::tests
