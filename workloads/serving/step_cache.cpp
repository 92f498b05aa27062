// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/step_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/core/error.hpp"
#include "workloads/serving/block_hash.hpp"

namespace ridgepoint::workloads {
namespace {

// A line: 32 digits of the name, the cycles, 8 digits of a sum over both.
constexpr const char* kHeader = "ridgepoint step times 1";
constexpr std::size_t kNameDigits = 32;
constexpr std::size_t kSumDigits = 8;

std::string hexadecimal(std::uint64_t value, int digits) {
  char text[20];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::string sum_of(std::string_view text) {
  return hexadecimal(salted(text).low >> 32, static_cast<int>(kSumDigits));
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  core::fail_input({path, 0, 0}, "step_cache", "", what, "a file that an earlier run wrote");
}

// Makes the file if it is not there. Devices and pipes may never end, or never begin.
void check_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) fail(path, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  ::close(file);
  if (!regular) fail(path, "is no regular file");
}

}  // namespace

StepCache::StepCache(std::string path, const std::string& context)
    : path_(std::move(path)), context_(context) {
  check_file(path_);
  std::ifstream in(path_, std::ios::binary);
  // The header first: whatever else the file is, it is not read as a whole.
  std::string head(std::strlen(kHeader) + 1, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) fail(path_, "cannot be read");
  exists_ = !head.empty();
  if (!exists_) return;
  if (head != std::string(kHeader) + '\n') fail(path_, "is not a file of step times");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) fail(path_, "cannot be read");
  ends_in_line_ = text.empty() || text.back() == '\n';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    // Runs that begin the file together each write its header.
    if (!line.empty() && line != kHeader && !read_line(line)) ++damaged_;
    at = end + 1;
  }
}

bool StepCache::read_line(const std::string& line) {
  const std::size_t last = line.rfind(' ');
  if (last == std::string::npos || last < kNameDigits + 2) return false;
  if (line.substr(last + 1) != sum_of(line.substr(0, last))) return false;
  core::Cycle cycles = 0;
  const char* const end = line.data() + last;
  const auto [next, error] = std::from_chars(line.data() + kNameDigits + 1, end, cycles);
  if (error != std::errc() || next != end || cycles < 0) return false;
  times_[line.substr(0, kNameDigits)] = cycles;
  return true;
}

std::string StepCache::name_of(const std::string& kernel) const {
  const BlockHash hash = salted(context_ + '\n' + kernel);
  return hexadecimal(hash.high, 16) + hexadecimal(hash.low, 16);
}

std::optional<core::Cycle> StepCache::find(const std::string& kernel) const {
  const auto known = times_.find(name_of(kernel));
  if (known == times_.end()) return std::nullopt;
  ++found_;
  return known->second;
}

void StepCache::add(const std::string& kernel, core::Cycle cycles) {
  const std::string name = name_of(kernel);
  if (!times_.emplace(name, cycles).second) return;
  const std::string body = name + ' ' + std::to_string(cycles);
  std::string line = body + ' ' + sum_of(body) + '\n';
  if (!exists_) line = std::string(kHeader) + '\n' + line;
  if (!ends_in_line_) line = '\n' + line;
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const bool written =
      file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (file >= 0) ::close(file);
  if (!written) fail(path_, std::string("cannot be written: ") + std::strerror(errno));
  exists_ = true;
  ends_in_line_ = true;
}

}  // namespace ridgepoint::workloads
