// SPDX-License-Identifier: Apache-2.0
// Reads CSV tables by column name, with the columns known only at run time. Lines and cells come
// from core::CsvCells; every cell stays text until somebody asks for a number, and blank is blank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/text_lines.hpp"

namespace ridgepoint::results {

class CsvReader {
 public:
  // Reads the header. Throws InputError on a file that cannot be read, is empty or repeats a
  // column.
  explicit CsvReader(const std::string& path);

  const std::vector<std::string>& header() const { return table_.header(); }
  bool has_column(std::string_view name) const { return table_.find(name) >= 0; }
  // InputError that lists what is there, if the column is missing.
  std::size_t column(std::string_view name) const;

  // The next row; false at the end. Throws InputError with file:line on a blank line, a row of
  // another length, a broken quote or a NUL byte.
  bool next();
  std::uint64_t line() const { return table_.line_number(); }

  // The cells of the row, in header order.
  std::vector<std::string> texts() const;
  const std::string& text(std::string_view column_name) const;
  // Blank cells are nullopt; anything else must be a number. Errors name file:line:column.
  std::optional<std::int64_t> integer(std::string_view column_name) const;
  std::optional<double> real(std::string_view column_name) const;
  [[noreturn]] void fail(std::string_view column_name, const std::string& what,
                         const std::string& accepted) const;

 private:
  core::CsvCells table_;
  std::vector<core::CsvCell> cells_;
};

}  // namespace ridgepoint::results
