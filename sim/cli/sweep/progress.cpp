// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/progress.hpp"

#include <cmath>

namespace ridgepoint::cli {
namespace {

std::string two_digits(long value) { return (value < 10 ? "0" : "") + std::to_string(value); }

constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) {
    return std::to_string(whole / 3600) + "h " + two_digits(whole / 60 % 60) + 'm';
  }
  if (whole >= 60) return std::to_string(whole / 60) + "m " + two_digits(whole % 60) + 's';
  return std::to_string(whole) + 's';
}

Progress::Progress(std::ostream& err, std::size_t total, bool visible)
    : err_(err), total_(total), visible_(visible), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (visible_) err_ << kClearLine << std::flush;
}

void Progress::update(std::size_t done, std::size_t failed) {
  if (!visible_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  err_ << kClearLine << done << '/' << total_ << " points";
  if (failed > 0) err_ << ", " << failed << " failed";
  if (done > 0 && done < total_) {
    const double each = elapsed.count() / static_cast<double>(done);
    err_ << ", " << duration_text(each * static_cast<double>(total_ - done)) << " left";
  }
  err_ << std::flush;
}

}  // namespace ridgepoint::cli
