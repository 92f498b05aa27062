// SPDX-License-Identifier: Apache-2.0
// A queue in order, for elements that come nearly in order: they are put in from the back, and
// taken from the front. One that belongs far in front moves the fewer of those before and behind.
#pragma once

#include <algorithm>
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
    std::size_t at = items_.size() - 1;
    const std::size_t near = at - std::min(kNear, at - first_);
    for (; at > near && before(item, items_[at - 1]); --at) std::swap(items_[at], items_[at - 1]);
    if (at == near && at > first_ && before(item, items_[at - 1])) move_far(at, item, before);
  }
  void pop_front() {
    if (++first_ < std::max(kSpare, items_.size() / 2) && first_ < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + offset(first_));
    first_ = 0;
  }

 private:
  static constexpr std::size_t kNear = 16;    // places from the back that are looked at in turn
  static constexpr std::size_t kSpare = 256;  // places in front before the rest moves up

  static std::ptrdiff_t offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }
  // The item stands at `at` and belongs in front of the one before it.
  template <typename Before>
  void move_far(std::size_t at, const T& item, Before before) {
    const auto begin = items_.begin();
    const auto to = std::upper_bound(begin + offset(first_), begin + offset(at), item, before);
    const auto ahead = static_cast<std::size_t>(to - begin);
    if (at - ahead <= ahead - first_) {
      std::move_backward(to, begin + offset(at), begin + offset(at + 1));
      *to = item;
    } else {
      items_.erase(begin + offset(at));
      insert_in_front_half(ahead, item);
    }
  }
  // What is in front of it moves, into places that are made once for many.
  void insert_in_front_half(std::size_t at, const T& item) {
    if (first_ == 0) {
      first_ = items_.size() / 2;
      at += first_;
      items_.insert(items_.begin(), first_, item);
    }
    const auto begin = items_.begin();
    std::move(begin + offset(first_), begin + offset(at), begin + offset(first_ - 1));
    --first_;
    items_[at - 1] = item;
  }

  std::vector<T> items_;
  std::size_t first_ = 0;
};

}  // namespace ridgepoint::dram
