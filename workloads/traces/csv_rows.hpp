// SPDX-License-Identifier: Apache-2.0
// What the CSV trace formats share: columns found by name, and each cell handed to a parser with
// its place. Columns a format does not use are ignored.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "workloads/traces/cells.hpp"
#include "workloads/traces/formats.hpp"

namespace ridgepoint::workloads {

inline bool has_names(const std::vector<std::string>& names,
                      std::initializer_list<std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    bool found = false;
    for (const std::string& have : names) found = found || have == name;
    if (!found) return false;
  }
  return true;
}

// Three columns make a trace row; `Parse` turns their texts into a row.
class CsvTraceRows final : public TraceRows {
 public:
  enum Field : std::size_t { kTime, kPrompt, kOutput, kFields };
  using Names = std::array<std::string_view, kFields>;
  struct Cell {
    std::string_view text;
    CellPlace place;
  };
  using Cells = std::array<Cell, kFields>;
  using Parse = void (*)(const Cells& cells, TraceRow& row);

  CsvTraceRows(core::TextLines lines, const Names& names, Parse parse)
      : cells_(std::move(lines)), names_(names), parse_(parse) {
    for (std::size_t i = 0; i < kFields; ++i) {
      const int position = cells_.find(names_[i]);
      if (position < 0) {
        core::fail_input(cells_.at(1), std::string(names_[i]), "", "column is missing",
                         "a header with this column");
      }
      positions_[i] = static_cast<std::size_t>(position);
    }
  }

  bool next(TraceRow& row) override {
    if (!cells_.next(values_)) return false;
    Cells cells;
    for (std::size_t i = 0; i < kFields; ++i) {
      const core::CsvCell& value = values_[positions_[i]];
      cells[i] = {value.text, {cells_.at(value.column), names_[i]}};
    }
    row.block_ids.clear();
    row.failed = false;
    row.time_column = cells[kTime].place.where.column;
    parse_(cells, row);
    return true;
  }

  core::Location at(std::uint64_t column) const override { return cells_.at(column); }

 private:
  core::CsvCells cells_;
  Names names_;
  Parse parse_;
  std::array<std::size_t, kFields> positions_{};
  std::vector<core::CsvCell> values_;
};

// The usual case: both lengths are at least one token.
inline void parse_lengths(const CsvTraceRows::Cells& cells, TraceRow& row) {
  row.prompt_tokens = parse_integer(cells[CsvTraceRows::kPrompt].text, 1, kLargestLength,
                                    cells[CsvTraceRows::kPrompt].place);
  row.output_tokens = parse_integer(cells[CsvTraceRows::kOutput].text, 1, kLargestLength,
                                    cells[CsvTraceRows::kOutput].place);
}

}  // namespace ridgepoint::workloads
