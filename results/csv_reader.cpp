// SPDX-License-Identifier: Apache-2.0
#include "results/csv_reader.hpp"

// Our tables are small: reading ahead in a second thread would cost more than it saves.
#define CSV_IO_NO_THREAD
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <libfccp/csv.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "sim/config/number.hpp"
#include "sim/config/suggest.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

// The library's own source takes a read error for the end of the file and stops a line at a NUL.
class CheckedFile : public io::ByteSourceBase {
 public:
  explicit CheckedFile(const std::string& path) : path_(path) {
    file_ = std::fopen(path.c_str(), "rb");
    if (file_ == nullptr) fail(std::string("cannot be read: ") + std::strerror(errno));
  }
  ~CheckedFile() override { std::fclose(file_); }

  int read(char* buffer, int size) override {
    const std::size_t got = std::fread(buffer, 1, static_cast<std::size_t>(size), file_);
    if (std::ferror(file_) != 0) fail(std::string("cannot be read: ") + std::strerror(errno));
    if (std::memchr(buffer, '\0', got) != nullptr) fail("has a NUL byte");
    return static_cast<int>(got);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    core::fail_input({path_, 0, 0}, "", "", what, "a CSV text file");
  }
  std::string path_;
  std::FILE* file_ = nullptr;
};

// Splits one line at commas outside quotes; false on a broken quote.
bool split_fields(std::string_view line, std::vector<std::string>& fields) {
  fields.clear();
  std::size_t at = 0;
  while (true) {
    std::string field;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return false;
        if (line[at] != '"') {
          field += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field += line[at++];
        } else {
          break;
        }
      }
      if (++at < line.size() && line[at] != ',') return false;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      field = line.substr(at, end - at);
      if (field.find('"') != std::string::npos) return false;
      at = end;
    }
    fields.push_back(std::move(field));
    if (at >= line.size()) return true;
    ++at;
  }
}

}  // namespace

struct CsvReader::Lines {
  explicit Lines(const std::string& path)
      : reader(path, std::unique_ptr<io::ByteSourceBase>(new CheckedFile(path))) {}
  io::LineReader reader;
};

CsvReader::CsvReader(const std::string& path) : path_(path), lines_(std::make_unique<Lines>(path)) {
  if (!read_fields(header_)) {
    core::fail_input({path_, 0, 0}, "", "", "is empty", "a CSV file with a header line");
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (header_[i].empty() || !seen.insert(header_[i]).second) {
      core::fail_input({path_, line_, i + 1}, header_[i], "", "is no new column name",
                       "a header of different names");
    }
  }
}

CsvReader::~CsvReader() = default;

bool CsvReader::read_fields(std::vector<std::string>& fields) {
  while (true) {
    const char* text = nullptr;
    try {
      text = lines_->reader.next_line();
    } catch (const io::error::line_length_limit_exceeded&) {
      core::fail_input({path_, line_ + 1, 0}, "", "", "is too long a line", "16 MiB");
    }
    if (text == nullptr) return false;
    line_ = lines_->reader.get_file_line();
    if (*text == '\0') continue;
    if (!split_fields(text, fields)) {
      core::fail_input({path_, line_, 0}, "", "", "has a broken quote",
                       "fields as in RFC 4180, on one line");
    }
    return true;
  }
}

bool CsvReader::has_column(std::string_view name) const {
  return std::find(header_.begin(), header_.end(), name) != header_.end();
}

std::size_t CsvReader::column(std::string_view name) const {
  const auto at = std::find(header_.begin(), header_.end(), name);
  if (at == header_.end()) {
    std::string all;
    for (const std::string& one : header_) all += (all.empty() ? "" : ", ") + one;
    core::fail_input({path_, 1, 0}, std::string(name), "",
                     config::with_suggestion("is a missing column", name, header_), all);
  }
  return static_cast<std::size_t>(at - header_.begin());
}

bool CsvReader::next() {
  if (!read_fields(cells_)) return false;
  if (cells_.size() != header_.size()) {
    core::fail_input({path_, line_, 0}, "", "", "has " + std::to_string(cells_.size()) + " fields",
                     std::to_string(header_.size()) + " as in the header");
  }
  return true;
}

const std::string& CsvReader::text(std::string_view column_name) const {
  return cells_[column(column_name)];
}

std::optional<std::int64_t> CsvReader::integer(std::string_view column_name) const {
  const std::string& cell = text(column_name);
  if (cell.empty()) return std::nullopt;
  std::string why;
  const auto value = config::parse_integer(cell, why);
  if (!value) fail(column_name, why, "an integer, or blank");
  return value;
}

std::optional<double> CsvReader::real(std::string_view column_name) const {
  const std::string& cell = text(column_name);
  if (cell.empty()) return std::nullopt;
  std::string why;
  const auto value = config::parse_real(cell, why);
  if (!value) fail(column_name, why, "a number, or blank");
  return value;
}

void CsvReader::fail(std::string_view column_name, const std::string& what,
                     const std::string& accepted) const {
  const std::size_t index = column(column_name);
  core::fail_input({path_, line_, index + 1}, std::string(column_name), cells_[index], what,
                   accepted);
}

}  // namespace ridgepoint::results
