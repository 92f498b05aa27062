// SPDX-License-Identifier: Apache-2.0
// Reads CSV tables whose columns are known only at run time. Lines come from fast-cpp-csv-parser's
// LineReader (LF or CRLF, byte order mark, read-ahead); its CSVReader fixes the columns at compile
// time, turns an empty number into 0 and does not round doubles correctly, so fields are split here
// and every cell stays text until somebody asks for a number.
// Not read: line breaks inside quotes, which no table of ours has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::results {

class CsvReader {
 public:
  // Reads the header. Throws InputError on a file that cannot be read, is empty or repeats a
  // column.
  explicit CsvReader(const std::string& path);
  ~CsvReader();

  const std::vector<std::string>& header() const { return header_; }
  bool has_column(std::string_view name) const;
  // InputError that lists what is there, if the column is missing.
  std::size_t column(std::string_view name) const;

  // The next row; false at the end. Throws InputError with file:line on a row of another length, a
  // broken quote or a NUL byte. Blank lines are skipped.
  bool next();
  std::uint64_t line() const { return line_; }

  const std::vector<std::string>& cells() const { return cells_; }
  const std::string& text(std::string_view column_name) const;
  // Blank cells are nullopt; anything else must be a number. Errors name file:line:column.
  std::optional<std::int64_t> integer(std::string_view column_name) const;
  std::optional<double> real(std::string_view column_name) const;
  [[noreturn]] void fail(std::string_view column_name, const std::string& what,
                         const std::string& accepted) const;

 private:
  bool read_fields(std::vector<std::string>& fields);

  struct Lines;
  std::string path_;
  std::unique_ptr<Lines> lines_;
  std::uint64_t line_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string> cells_;
};

}  // namespace ridgepoint::results
