// SPDX-License-Identifier: Apache-2.0
// A queue in order, for elements that come nearly in order: they are put in from the back, and
// taken from the front.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ridgepoint::dram {

template <typename T>
class SortedQueue {
 public:
  bool empty() const { return first_ == items_.size(); }
  std::size_t size() const { return items_.size() - first_; }
  const T& front() const { return items_[first_]; }
  const T& operator[](std::size_t i) const { return items_[first_ + i]; }

  // Behind all that `before` does not put it in front of.
  template <typename Before>
  void insert(const T& item, Before before) {
    items_.push_back(item);
    for (std::size_t at = items_.size() - 1; at > first_ && before(item, items_[at - 1]); --at) {
      std::swap(items_[at], items_[at - 1]);
    }
  }
  void pop_front() {
    if (++first_ < kSpare && first_ < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

 private:
  static constexpr std::size_t kSpare = 256;  // places in front before the rest moves up
  std::vector<T> items_;
  std::size_t first_ = 0;
};

}  // namespace ridgepoint::dram
