// SPDX-License-Identifier: Apache-2.0
// Tables as RFC 4180 text with LF line ends. A file appears whole or not at all.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/row.hpp"

namespace ridgepoint::results {

// A field, quoted only if it must be.
std::string csv_field(std::string_view text);
std::string csv_line(std::span<const std::string> fields);
std::vector<std::string> header_of(const Table& table);

// A file that is written beside its final place and moved there by commit(); the destructor of an
// uncommitted one leaves nothing behind. Throws InputError (a full disk, a read-only or missing
// folder) naming the path.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

// SIGINT and SIGTERM from now on remove what uncommitted OutputFiles have written, say so in one
// line on standard error, and end the process as the signal does by default.
void discard_unfinished_files_on_signals();

// Collects rows of one table; finish() sends them to `path`, or to `out` if `path` is empty.
class TableWriter {
 public:
  // Checks at once that `path` can be written, so that a long run does not end in that error.
  TableWriter(const Table& table, const std::string& path, std::ostream& out);
  // Any header, for tables whose columns are known only at run time.
  TableWriter(std::span<const std::string> header, const std::string& path, std::ostream& out);
  ~TableWriter();

  void add(const Row& row);
  void add(std::span<const std::string> fields);  // as many as the header has
  void finish();

 private:
  std::string text_;
  std::size_t width_;
  std::string path_;
  std::ostream& out_;
};

}  // namespace ridgepoint::results
