// SPDX-License-Identifier: Apache-2.0
// The cross-check table of the document is what its script prints, and the script's settings give
// what the text beside the table says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

class Deviations : public ProgramTest {
 protected:
  std::string document() const {
    return slurp(std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "tests/DEVIATIONS.md");
  }
  // Cells of a pattern's row, as numbers: % of peak, 0-based from "HBM2: ours".
  std::vector<double> shares(const std::string& pattern) const {
    const std::string text = document();
    const std::size_t at = text.find("\n| " + pattern + " |");
    std::vector<double> values;
    if (at == std::string::npos) return values;
    std::istringstream row(text.substr(at + 1, text.find('\n', at + 1) - at - 1));
    std::string cell;
    for (int index = 0; std::getline(row, cell, '|'); ++index) {
      if (index >= 2) values.push_back(std::strtod(cell.c_str(), nullptr));
    }
    return values;
  }
};

TEST_F(Deviations, TheTableIsWhatItsScriptPrints) {
  const std::string command =
      "bash '" RIDGEPOINT_SOURCE_DIR
      "/tests/deviations.sh' --only 'conflict stride idle' '" RIDGEPOINT_PROGRAM "' > rows.md";
  ASSERT_EQ(std::system(("cd '" + folder().string() + "' && " + command).c_str()), 0);
  std::istringstream rows(slurp(folder() / "rows.md"));
  const std::string text = document();
  int count = 0;
  for (std::string row; std::getline(rows, row); ++count) {
    EXPECT_NE(text.find('\n' + row + '\n'), std::string::npos)
        << row << "\nremake it: tests/deviations.sh --write";
  }
  EXPECT_EQ(count, 3);
}

// With R2's queues and map, what does not depend on how a queue is shared is R2's within 2 % of
// peak.
TEST_F(Deviations, WithTheirSettingsTheStreamingFiguresAreTheirs) {
  constexpr std::size_t kHbm2Alike = 1, kHbm2R2 = 2, kHbm3Alike = 6, kHbm3R2 = 7;
  for (const char* pattern : {"seq", "triad", "conflict", "rowmiss", "stride"}) {
    const std::vector<double> row = shares(pattern);
    ASSERT_GE(row.size(), 8U) << pattern;
    EXPECT_NEAR(row[kHbm2Alike], row[kHbm2R2], 2.0) << pattern;
    EXPECT_NEAR(row[kHbm3Alike], row[kHbm3R2], 2.0) << pattern;
  }
}

}  // namespace
}  // namespace ridgepoint::tests
