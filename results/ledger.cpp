// SPDX-License-Identifier: Apache-2.0
#include "results/ledger.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "results/csv_writer.hpp"
#include "sim/config/assignment.hpp"
#include "sim/core/text_lines.hpp"

namespace ridgepoint::results {
namespace {

std::size_t position(const std::vector<std::string>& header, std::string_view name) {
  const auto at = std::find(header.begin(), header.end(), name);
  if (at == header.end()) throw std::logic_error("a ledger without column " + std::string(name));
  return static_cast<std::size_t>(at - header.begin());
}

bool try_lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

}  // namespace

Ledger::Ledger(std::string path, std::vector<std::string> header, bool resume)
    : path_(std::move(path)), header_(std::move(header)) {
  lock();
  try {
    const std::string text = config::read_text_file(path_);
    const std::string head = csv_line(header_);
    if (!text.empty() && !resume) {
      fail("exists and is not empty", "--resume to finish it, or another --csv");
    }
    // A kill while the first line was written leaves a piece of it.
    const bool nothing_yet = head.starts_with(text) && text != head;
    if (nothing_yet || load(text)) {
      std::vector<std::vector<std::string>> rows;
      for (const auto& [sha256, cells] : finished_) rows.push_back(cells);
      replace(rows);
    }
    if (lseek(descriptor_, 0, SEEK_END) < 0) fail_errno();
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

Ledger::~Ledger() { close(descriptor_); }

void Ledger::fail(const std::string& what, const std::string& accepted) const {
  core::fail_input({path_, 0, 0}, "", "", what, accepted);
}

void Ledger::fail_errno() const {
  fail(std::string("cannot be written: ") + std::strerror(errno),
       "a file in an existing folder with room and permission");
}

// Another sweep may replace the file between open and lock: then the lock is on a file without a
// name, and the new one has to be opened.
void Ledger::lock() {
  while (true) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_errno();
    struct stat mine {};
    if (fstat(descriptor_, &mine) == 0 && !S_ISREG(mine.st_mode)) {
      close(descriptor_);
      fail("is no regular file", "path of a file");
    }
    if (!try_lock(descriptor_)) {
      close(descriptor_);
      fail("is being written by another sweep", "another --csv, or wait for its end");
    }
    struct stat named {};
    if (stat(path_.c_str(), &named) == 0 && named.st_ino == mine.st_ino) return;
    close(descriptor_);
  }
}

// True if the file must be rewritten because something in it is not kept.
bool Ledger::load(const std::string& text) {
  const std::string head = csv_line(header_);
  if (!text.starts_with(head)) {
    fail("has another header, so it is the result of another sweep",
         head.substr(0, head.size() - 1));
  }
  const std::size_t key = position(header_, "config_sha256");
  const std::size_t status = position(header_, "status");
  bool dropped = false;
  core::Location where{path_, 1, 0};
  std::vector<core::CsvCell> cells;
  for (std::size_t at = head.size(); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) return true;  // the line that was being written
    ++where.line;
    core::split_csv(std::string_view(text).substr(at, end - at), where, cells);
    at = end + 1;
    if (cells.size() != header_.size()) {
      core::fail_input(where, "", "", "row has " + std::to_string(cells.size()) + " cells",
                       std::to_string(header_.size()) + " cells as in the header");
    }
    if (cells[status].text != "ok") {
      dropped = true;
      continue;
    }
    std::vector<std::string> row;
    for (const core::CsvCell& cell : cells) row.push_back(cell.text);
    if (!finished_.emplace(cells[key].text, std::move(row)).second) {
      core::fail_input(where, "config_sha256", cells[key].text, "stands twice", "each point once");
    }
  }
  return dropped;
}

void Ledger::write_all(int descriptor, std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Ledger::append(std::span<const std::string> cells) {
  const off_t before = lseek(descriptor_, 0, SEEK_CUR);
  try {
    write_all(descriptor_, csv_line(cells));
  } catch (...) {
    if (ftruncate(descriptor_, before) == 0) lseek(descriptor_, before, SEEK_SET);
    throw;
  }
}

void Ledger::replace(std::span<const std::vector<std::string>> rows) {
  // Only the holder of the lock writes this name; a kill may leave it behind for the next one.
  const std::string temporary = path_ + ".partial";
  const int fresh = open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fresh < 0) fail_errno();
  try {
    write_all(fresh, csv_line(header_));
    for (const std::vector<std::string>& row : rows) write_all(fresh, csv_line(row));
    if (!try_lock(fresh) || fsync(fresh) != 0) fail_errno();
    if (std::rename(temporary.c_str(), path_.c_str()) != 0) fail_errno();
  } catch (...) {
    close(fresh);
    unlink(temporary.c_str());
    throw;
  }
  close(descriptor_);
  descriptor_ = fresh;
}

}  // namespace ridgepoint::results
