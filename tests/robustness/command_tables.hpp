// SPDX-License-Identifier: Apache-2.0
// Runs of the program whose table has one row.
#pragma once

#include <gtest/gtest.h>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {

class CommandTables : public ProgramTest {
 protected:
  // One row of a one-row table.
  static std::string cell(const std::string& csv, const std::string& column) {
    const std::size_t end = csv.find('\n');
    const auto split = [](const std::string& line) {
      std::vector<std::string> cells(1);
      bool quoted = false;
      for (const char c : line) {
        if (c == '"')
          quoted = !quoted;
        else if (c == ',' && !quoted)
          cells.emplace_back();
        else if (c != '\n')
          cells.back() += c;
      }
      return cells;
    };
    const auto names = split(csv.substr(0, end));
    const auto values = split(csv.substr(end + 1));
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == column) return values.at(i);
    }
    ADD_FAILURE() << "no column " << column;
    return {};
  }
  static double number(const std::string& csv, const std::string& column) {
    return std::stod(cell(csv, column));
  }
};

}  // namespace ridgepoint::tests
