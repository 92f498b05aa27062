// SPDX-License-Identifier: Apache-2.0
// Which lines of HBM a hardware cache holds. Lines are replaced in the order they came in, but a
// line that is read in the second half of its stay comes in anew: close to least recently used, at
// one number per line. It knows no time: a line is held from when it was asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ridgepoint::accel {

class CacheDirectory {
 public:
  static constexpr std::uint64_t kLineBytes = 256;

  explicit CacheDirectory(std::int64_t bytes)
      : lines_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / kLineBytes)) {}

  bool holds(std::uint64_t line) const {
    return line < entered_.size() && entered_[line] >= since_ && age(line) < lines_;
  }
  // Whether the line is held already; it is afterwards.
  bool read(std::uint64_t line) {
    const bool held = holds(line);
    if (held && age(line) < lines_ / 2) return true;
    if (line >= entered_.size()) entered_.resize(std::max(line + 1, 2 * entered_.size()));
    entered_[line] = ++count_;
    return held;
  }
  void clear() { since_ = count_ + 1; }

 private:
  std::uint64_t age(std::uint64_t line) const { return count_ - entered_[line]; }

  std::uint64_t lines_;
  std::uint64_t count_ = 0, since_ = 1;
  std::vector<std::uint64_t> entered_;  // by line: its number in the order of entries; 0: never
};

}  // namespace ridgepoint::accel
