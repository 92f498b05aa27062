// SPDX-License-Identifier: Apache-2.0
// The queue of one pseudo-channel and direction, kept as one list per bank in order of age, with
// the oldest request to each bank's open row at hand. All operations of the usual case are O(1).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

class BankQueues {
 public:
  static constexpr std::uint16_t kNone = 0xffff;
  struct Entry {
    std::int64_t row;
    std::uint64_t order;
    Tick entered;
    std::int64_t burst;  // of the channel
    std::int32_t piece;
    std::int32_t useful_bytes;
    std::uint32_t chunk;  // see EventChannel::Chunk
    std::uint16_t column;
    std::uint16_t next;
  };

  BankQueues(int capacity, int banks)
      : entries_(static_cast<std::size_t>(capacity)), lists_(static_cast<std::size_t>(banks)) {
    for (int slot = capacity; slot-- > 0;) free_.push_back(static_cast<std::uint16_t>(slot));
    capacity_ = capacity;
  }

  int size() const { return capacity_ - static_cast<int>(free_.size()); }
  bool empty() const { return size() == 0; }
  bool full() const { return free_.empty(); }
  // Banks (of the pseudo-channel) with any request, and with one to their open row.
  std::uint64_t queued() const { return queued_; }
  std::uint64_t hits() const { return hits_; }
  const Entry& oldest(int bank) const { return entries_[list(bank).head]; }
  const Entry& hit(int bank) const { return entries_[list(bank).hit]; }

  template <typename Visit>
  void for_each(Visit&& visit) const {  // visit(bank, entry): by bank, then oldest first
    for (std::uint64_t left = queued_; left != 0; left &= left - 1) {
      const int bank = std::countr_zero(left);
      for (std::uint16_t slot = list(bank).head; slot != kNone; slot = entries_[slot].next) {
        visit(bank, entries_[slot]);
      }
    }
  }
  void clear() { *this = BankQueues(capacity_, static_cast<int>(lists_.size())); }

  void push(int bank, Entry entry, std::int64_t open_row) {
    const std::uint16_t slot = free_.back();
    free_.pop_back();
    entry.next = kNone;
    entries_[slot] = entry;
    List& to = list(bank);
    if (to.head == kNone) {
      to.head = slot;
    } else {
      entries_[to.tail].next = slot;
    }
    to.tail = slot;
    queued_ |= bit(bank);
    if (to.hit == kNone && entry.row == open_row) set_hit(bank, slot);
  }

  // Removes hit(bank) and returns it.
  Entry pop_hit(int bank) {
    List& from = list(bank);
    const std::uint16_t slot = from.hit;
    const Entry entry = entries_[slot];
    if (from.head == slot) {
      from.head = entry.next;
      if (entry.next == kNone) queued_ &= ~bit(bank);
    } else {
      std::uint16_t before = from.head;
      while (entries_[before].next != slot) before = entries_[before].next;
      entries_[before].next = entry.next;
      if (from.tail == slot) from.tail = before;
    }
    free_.push_back(slot);
    set_hit(bank, find(entry.next, entry.row));
    return entry;
  }

  // The bank's open row changed; kClosed matches nothing.
  void row_opened(int bank, std::int64_t row) { set_hit(bank, find(list(bank).head, row)); }
  void row_closed(int bank) { set_hit(bank, kNone); }

  bool contains(int bank, std::int64_t row, int column) const {
    std::uint16_t slot = list(bank).head;
    while (slot != kNone && !(entries_[slot].row == row && entries_[slot].column == column)) {
      slot = entries_[slot].next;
    }
    return slot != kNone;
  }

 private:
  struct List {
    std::uint16_t head = kNone;
    std::uint16_t tail = kNone;
    std::uint16_t hit = kNone;
  };
  static std::uint64_t bit(int bank) { return std::uint64_t{1} << bank; }
  List& list(int bank) { return lists_[static_cast<std::size_t>(bank)]; }
  const List& list(int bank) const { return lists_[static_cast<std::size_t>(bank)]; }
  void set_hit(int bank, std::uint16_t slot) {
    list(bank).hit = slot;
    hits_ = slot == kNone ? hits_ & ~bit(bank) : hits_ | bit(bank);
  }
  std::uint16_t find(std::uint16_t slot, std::int64_t row) const {
    while (slot != kNone && entries_[slot].row != row) slot = entries_[slot].next;
    return slot;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint16_t> free_;
  std::vector<List> lists_;
  std::uint64_t queued_ = 0;
  std::uint64_t hits_ = 0;
  int capacity_ = 0;
};

}  // namespace ridgepoint::dram
