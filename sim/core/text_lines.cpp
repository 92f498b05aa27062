// SPDX-License-Identifier: Apache-2.0
#include "sim/core/text_lines.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

// The parser's own error texts are cut to its fixed buffers on purpose; we never show them.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#endif
#include <libfccp/csv.h>

namespace ridgepoint::core {
namespace {

[[noreturn]] void fail_unreadable(const Location& where, const std::string& what,
                                  const std::string& accepted) {
  throw UnreadableError(describe(where, "", "", what, accepted));
}

// Feeds bytes to the line reader and refuses NUL: the reader hands out C strings, where a NUL would
// silently cut the line.
class CheckedBytes final : public io::ByteSourceBase {
 public:
  CheckedBytes(std::string name, std::FILE* file) : name_(std::move(name)), file_(file) {}
  CheckedBytes(std::string name, std::string text)
      : name_(std::move(name)), text_(std::move(text)) {}
  CheckedBytes(const CheckedBytes&) = delete;
  CheckedBytes& operator=(const CheckedBytes&) = delete;
  ~CheckedBytes() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  int read(char* buffer, int size) override {
    const int got = file_ != nullptr ? read_file(buffer, size) : read_text(buffer, size);
    if (std::memchr(buffer, 0, static_cast<std::size_t>(got)) != nullptr) fail_at_nul(buffer, got);
    count(buffer, got);
    return got;
  }

 private:
  int read_file(char* buffer, int size) {
    const auto got = static_cast<int>(std::fread(buffer, 1, static_cast<std::size_t>(size), file_));
    if (std::ferror(file_) != 0) {
      fail_unreadable({name_}, std::string("cannot be read: ") + std::strerror(errno), "");
    }
    return got;
  }

  int read_text(char* buffer, int size) {
    const std::size_t got = text_.copy(buffer, static_cast<std::size_t>(size), position_);
    position_ += got;
    return static_cast<int>(got);
  }

  void count(const char* buffer, int size) {
    for (const char* end = buffer + size; buffer != end;) {
      const auto left = static_cast<std::size_t>(end - buffer);
      const void* found = std::memchr(buffer, '\n', left);
      if (found == nullptr) {
        column_ += left;
        return;
      }
      buffer = static_cast<const char*>(found) + 1;
      ++line_;
      column_ = 1;
    }
  }

  [[noreturn]] void fail_at_nul(const char* buffer, int size) {
    const void* nul = std::memchr(buffer, 0, static_cast<std::size_t>(size));
    count(buffer, static_cast<int>(static_cast<const char*>(nul) - buffer));
    fail_unreadable({name_, line_, column_}, "NUL byte in a text file", "text without NUL bytes");
  }

  std::string name_;
  std::FILE* file_ = nullptr;
  std::string text_;
  std::size_t position_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 1;
};

std::FILE* open_for_reading(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail_unreadable({path}, "is a directory", "a readable file");
  }
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    fail_unreadable({path}, std::string("cannot be opened: ") + std::strerror(errno),
                    "a readable file");
  }
  return file;
}

}  // namespace

struct TextLines::State {
  State(std::string source_name, std::unique_ptr<io::ByteSourceBase> bytes)
      : name(std::move(source_name)), reader(name, std::move(bytes)) {}
  std::string name;
  io::LineReader reader;
  const char* peeked = nullptr;
};

TextLines::TextLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextLines::TextLines(TextLines&&) noexcept = default;
TextLines& TextLines::operator=(TextLines&&) noexcept = default;
TextLines::~TextLines() = default;

TextLines::TextLines(const std::string& path) {
  auto bytes = std::make_unique<CheckedBytes>(path, open_for_reading(path));
  state_ = std::make_unique<State>(path, std::move(bytes));
}

TextLines TextLines::from_text(std::string name, std::string text) {
  auto bytes = std::make_unique<CheckedBytes>(name, std::move(text));
  return TextLines(std::make_unique<State>(std::move(name), std::move(bytes)));
}

bool TextLines::peek(std::string_view& line) {
  try {
    if (state_->peeked == nullptr) state_->peeked = state_->reader.next_line();
  } catch (const io::error::line_length_limit_exceeded&) {
    fail_unreadable(at(1), "line too long", "lines below 16 MiB");
  }
  if (state_->peeked == nullptr) return false;
  line = state_->peeked;
  return true;
}

bool TextLines::next(std::string_view& line) {
  const bool found = peek(line);
  state_->peeked = nullptr;
  return found;
}

const std::string& TextLines::name() const { return state_->name; }
std::uint64_t TextLines::line_number() const {
  return state_->reader.get_file_line() - (state_->peeked != nullptr ? 1u : 0u);
}

void split_csv(std::string_view line, const Location& where, std::vector<CsvCell>& cells) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (true) {
    if (used == cells.size()) cells.emplace_back();
    CsvCell& cell = cells[used++];
    cell.column = at + 1;
    cell.text.clear();
    if (at < line.size() && line[at] == '"') {
      ++at;
      while (true) {
        const std::size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) {
          fail_input({where.file, where.line, cell.column}, "", "", "unclosed quote",
                     "a closing '\"' on the same line");
        }
        cell.text += line.substr(at, quote - at);
        at = quote + 1;
        if (at == line.size() || line[at] != '"') break;
        cell.text += '"';
        ++at;
      }
      if (at < line.size() && line[at] != ',') {
        fail_input({where.file, where.line, at + 1}, "", "", "text after a closing quote",
                   "a comma or the end of the line");
      }
    } else {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      cell.text = line.substr(at, comma - at);
      at = comma;
    }
    if (at == line.size()) break;
    ++at;
  }
  cells.resize(used);
}

CsvCells::CsvCells(TextLines lines) : lines_(std::move(lines)) {
  std::string_view line;
  if (!lines_.next(line)) fail_input({name()}, "", "", "empty file", "a CSV file with a header");
  std::vector<CsvCell> cells;
  split_csv(line, at(1), cells);
  for (const CsvCell& cell : cells) {
    if (cell.text.empty()) {
      fail_input(at(cell.column), "", "", "column without a name", "a name for every column");
    }
    if (find(cell.text) >= 0) {
      fail_input(at(cell.column), cell.text, "", "column appears twice", "each column once");
    }
    header_.push_back(cell.text);
  }
}

int CsvCells::find(std::string_view column) const {
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (header_[i] == column) return static_cast<int>(i);
  }
  return -1;
}

bool CsvCells::next(std::vector<CsvCell>& cells) {
  std::string_view line;
  if (!lines_.next(line)) return false;
  if (line.empty()) fail_input(at(1), "", "", "blank line", "one row per line");
  split_csv(line, at(1), cells);
  if (cells.size() != header_.size()) {
    fail_input(at(cells.size() < header_.size() ? line.size() + 1 : cells[header_.size()].column),
               "", "", "row has " + std::to_string(cells.size()) + " cells",
               std::to_string(header_.size()) + " cells as in the header");
  }
  return true;
}

}  // namespace ridgepoint::core
