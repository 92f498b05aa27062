// SPDX-License-Identifier: Apache-2.0
// Which lines of HBM a hardware cache holds. Lines are replaced in the order they came in, but a
// line that is read in the second half of its stay comes in anew: close to least recently used, at
// one number per line. It knows no time: a line is held from when it was asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ridgepoint::accel {

class CacheDirectory {
 public:
  static constexpr std::uint64_t kLineBytes = 256;

  explicit CacheDirectory(std::int64_t bytes)
      : lines_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / kLineBytes)) {}

  bool holds(std::uint64_t line) const {
    const std::uint64_t page = line / kPageLines;
    if (page >= pages_.size() || pages_[page] == nullptr) return false;
    const std::uint64_t entered = pages_[page]->entered[line % kPageLines];
    return entered >= since_ && count_ - entered < lines_;
  }
  // Whether the line is held already; it is afterwards.
  bool read(std::uint64_t line) {
    const bool held = holds(line);
    const std::uint64_t number = line / kPageLines;
    if (held && count_ - pages_[number]->entered[line % kPageLines] < lines_ / 2) return true;
    if (number >= pages_.size()) pages_.resize(number + 1);
    if (pages_[number] == nullptr) pages_[number] = std::make_unique<Page>();
    pages_[number]->entered[line % kPageLines] = pages_[number]->newest = ++count_;
    if (count_ >= next_sweep_) sweep();
    return held;
  }
  void clear() { since_ = count_ + 1; }
  // What it takes itself: pages of so many lines, only where it holds one or did a short while ago.
  static constexpr std::uint64_t kPageLines = 4096;
  std::size_t pages() const {
    const auto none = std::count(pages_.begin(), pages_.end(), nullptr);
    return pages_.size() - static_cast<std::size_t>(none);
  }

 private:
  struct Page {
    std::uint64_t newest = 0;
    std::array<std::uint64_t, kPageLines> entered{};  // number in the order of entries; 0: never
  };

  // Gives up the pages that hold no line any more; at most one look at a page per entry.
  void sweep() {
    for (std::unique_ptr<Page>& page : pages_) {
      if (page != nullptr && count_ - page->newest >= lines_) page.reset();
    }
    next_sweep_ = count_ + std::max<std::uint64_t>(lines_, pages_.size());
  }

  std::uint64_t lines_;
  std::uint64_t count_ = 0, since_ = 1, next_sweep_ = 0;
  std::vector<std::unique_ptr<Page>> pages_;  // by line / kPageLines
};

}  // namespace ridgepoint::accel
