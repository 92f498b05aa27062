// SPDX-License-Identifier: Apache-2.0
// Text files line by line and CSV lines cell by cell, as text with its place in the file. This is
// the only file pair that touches the CSV parser library; numbers are parsed by the caller from
// the cell's text, because the library turns empty cells into 0 and overflow into infinity.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.hpp"

namespace ridgepoint::core {

// The text cannot be read at all (missing, a NUL byte, a line too long): there is no going on.
class UnreadableError : public InputError {
 public:
  using InputError::InputError;
};

// Lines end with LF or CRLF; the last one need not. A UTF-8 byte order mark is skipped. Memory is
// independent of the file's length. Throws UnreadableError: file missing, unreadable or a
// directory, a NUL byte (with line and column), a line of 16 MiB or more.
class TextLines {
 public:
  explicit TextLines(const std::string& path);
  // Reads `text` (copied) instead of a file; `name` stands for it in messages.
  static TextLines from_text(std::string name, std::string text);
  TextLines(TextLines&&) noexcept;
  TextLines& operator=(TextLines&&) noexcept;
  ~TextLines();

  // The next line without its end, valid until the next call; false after the last one.
  bool next(std::string_view& line);
  // The line that next() will return; line_number() does not move.
  bool peek(std::string_view& line);
  const std::string& name() const;
  std::uint64_t line_number() const;  // 1-based, of the line last returned; 0 before
  Location at(std::uint64_t column) const { return {name(), line_number(), column}; }

 private:
  struct State;
  explicit TextLines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One cell: its text without quotes, and the 1-based byte column where it starts in its line.
struct CsvCell {
  std::string text;
  std::uint64_t column = 0;
};

// Splits one line at commas (RFC 4180 quoting, but no line break inside quotes). Throws InputError
// at `where` for an unclosed quote or text after a closing one.
void split_csv(std::string_view line, const Location& where, std::vector<CsvCell>& cells);

// A CSV file with one header line. Every row must have exactly as many cells as the header.
class CsvCells {
 public:
  // Reads the header. Throws InputError if the file is empty or a column name is empty or repeated.
  explicit CsvCells(TextLines lines);
  explicit CsvCells(const std::string& path) : CsvCells(TextLines(path)) {}

  const std::vector<std::string>& header() const { return header_; }
  // The 0-based position of a column, or -1.
  int find(std::string_view column) const;
  // The next row; false at the end. Blank lines, and rows that are too short or too long, are
  // InputErrors (and next() may be called again to go on behind them).
  bool next(std::vector<CsvCell>& cells);

  const std::string& name() const { return lines_.name(); }
  std::uint64_t line_number() const { return lines_.line_number(); }
  Location at(std::uint64_t column) const { return lines_.at(column); }

 private:
  TextLines lines_;
  std::vector<std::string> header_;
};

}  // namespace ridgepoint::core
