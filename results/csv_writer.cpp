// SPDX-License-Identifier: Apache-2.0
#include "results/csv_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

// What a signal handler may look at: names of files that are being written, in memory of their own.
// Only this process's main thread opens files.
struct Unfinished {
  std::array<char, 4096> temporary{};
  volatile std::sig_atomic_t used = 0;
};
std::array<Unfinished, 16> unfinished;
pid_t owner = -1;  // workers that it has forked leave its files alone

void note_unfinished(const std::string& temporary) {
  for (Unfinished& slot : unfinished) {
    if (slot.used != 0 || temporary.size() >= slot.temporary.size()) continue;
    std::memcpy(slot.temporary.data(), temporary.c_str(), temporary.size() + 1);
    slot.used = 1;
    return;
  }
}

void forget_unfinished(const std::string& temporary) {
  for (Unfinished& slot : unfinished) {
    if (slot.used != 0 && temporary == slot.temporary.data()) slot.used = 0;
  }
}

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// Only calls that are safe in a signal handler.
void discard(int signal) {
  bool any = false;
  const bool mine = getpid() == owner;
  for (const Unfinished& slot : unfinished) {
    if (!mine) break;
    if (slot.used == 0) continue;
    unlink(slot.temporary.data());
    any = true;
  }
  if (mine) {
    say("ridgepoint: error: interrupted by ");
    say(signal == SIGINT ? "SIGINT" : "SIGTERM");
    say(any ? "; unfinished files are removed\n" : "\n");
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void discard_unfinished_files_on_signals() {
  owner = getpid();
  struct sigaction action {};
  action.sa_handler = &discard;
  action.sa_flags = static_cast<int>(SA_NODEFER);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(fields[i]);
  }
  return line + '\n';
}

std::vector<std::string> header_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : all_columns(table)) names.emplace_back(column.name);
  return names;
}

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".partial." + std::to_string(getpid())) {
  struct stat status {};
  if (stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    core::fail_input({path_, 0, 0}, "", "", "cannot be written: it is a folder", "path of a file");
  }
  // A device or a pipe has nothing beside it to rename from.
  const bool special = stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (special) temporary_ = path_;
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::strerror(errno));
  if (!special) note_unfinished(temporary_);
}

OutputFile::~OutputFile() {
  forget_unfinished(temporary_);
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (temporary_ != path_) unlink(temporary_.c_str());
}

void OutputFile::fail(const std::string& what) const {
  core::fail_input({path_, 0, 0}, "", "", "cannot be written: " + what,
                   "a path in an existing folder with room and permission");
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  const bool special = temporary_ == path_;
  if (!special && fsync(descriptor_) != 0) fail(std::strerror(errno));
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed == 0 && (special || std::rename(temporary_.c_str(), path_.c_str()) == 0)) return;
  const std::string why = std::strerror(errno);
  if (!special) unlink(temporary_.c_str());
  fail(why);
}

TableWriter::TableWriter(const Table& table, const std::string& path, std::ostream& out)
    : TableWriter(header_of(table), path, out) {}

TableWriter::TableWriter(std::span<const std::string> header, const std::string& path,
                         std::ostream& out)
    : text_(csv_line(header)), width_(header.size()), path_(path), out_(out) {
  if (!path_.empty()) OutputFile probe(path_);
}

TableWriter::~TableWriter() = default;

void TableWriter::add(const Row& row) { add(row.cells()); }

void TableWriter::add(std::span<const std::string> fields) {
  if (fields.size() != width_) throw std::logic_error("a row with another number of fields");
  text_ += csv_line(fields);
}

void TableWriter::finish() {
  if (path_.empty()) {
    out_ << text_ << std::flush;
    if (!out_) throw core::InputError("standard output: cannot be written");
    return;
  }
  OutputFile file(path_);
  file.write(text_);
  file.commit();
}

}  // namespace ridgepoint::results
