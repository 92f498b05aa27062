// SPDX-License-Identifier: Apache-2.0
// The product's own commands, called in this process; their tables by column name.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/cli/main_entry.hpp"

namespace ridgepoint::testing_command {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

inline Outcome command(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  Outcome outcome;
  outcome.exit_code = cli::run_program(arguments, out, err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

using CsvRow = std::map<std::string, std::string>;

// Rows of RFC 4180 text without line breaks in cells.
inline std::vector<CsvRow> rows_of(const std::string& text) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out{""};
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        out.emplace_back();
      } else {
        out.back() += c;
      }
    }
    return out;
  };
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = cells(line);
  std::vector<CsvRow> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> values = cells(line);
    EXPECT_EQ(values.size(), header.size());
    CsvRow row;
    for (std::size_t i = 0; i < std::min(values.size(), header.size()); ++i) {
      row[header[i]] = values[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The one row of a command that must succeed.
inline CsvRow row_of(const std::vector<std::string>& arguments) {
  const Outcome outcome = command(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<CsvRow> rows = rows_of(outcome.out);
  EXPECT_EQ(rows.size(), 1u);
  return rows.empty() ? CsvRow{} : rows.front();
}

inline double number(const CsvRow& row, const std::string& column) {
  const auto cell = row.find(column);
  EXPECT_NE(cell, row.end()) << column;
  return cell == row.end() || cell->second.empty() ? 0 : std::stod(cell->second);
}

}  // namespace ridgepoint::testing_command
