// SPDX-License-Identifier: Apache-2.0
// The queue of one pseudo-channel and direction, kept as one list per bank in order of age, with
// the oldest request to each bank's open row at hand. Its capacity is counted in bursts; what is
// listed are visits: bursts of one request to one row, which enter and leave in order.
// All operations of the usual case are O(1).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/memory_port.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

class BankQueues {
 public:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr int kVisitBursts = 32;  // longest visit
  static constexpr int kMostBanks = 64;    // bits of a set of them
  struct Visit {
    std::int64_t row;
    std::uint64_t order;  // age of the oldest burst still queued: the smaller, the older
    std::uint64_t base;   // a column's burst is that much older than the column's place
    std::int32_t column;  // of the first burst; the others follow
    std::int32_t left;    // bursts that have left
    std::int32_t total;   // bursts that have entered
    std::int32_t piece;
    std::uint16_t next;     // of the bank's list
    std::uint8_t entrance;  // for the use of who lets bursts in
    core::Traffic traffic;
    bool whole;                  // every byte of every burst was asked for
    Tick entered[kVisitBursts];  // when each of them did

    int queued() const { return total - left; }
    int oldest_column() const { return column + left; }
  };

  // `places`: see AddressMap.
  BankQueues(int capacity, int banks, const std::uint32_t* places)
      : visits_(std::make_unique_for_overwrite<Visit[]>(static_cast<std::size_t>(capacity))),
        lists_(static_cast<std::size_t>(banks)),
        places_(places),
        capacity_(capacity) {
    for (int slot = capacity; slot-- > 0;) free_.push_back(static_cast<std::uint16_t>(slot));
  }

  int size() const { return size_; }  // bursts
  int room() const { return capacity_ - size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  // Banks (of the pseudo-channel) with any request, and with one to their open row.
  std::uint64_t queued() const { return queued_; }
  std::uint64_t hits() const { return hits_; }
  // Grows whenever hits() changes.
  std::uint32_t changes() const { return changes_; }
  const Visit& oldest(int bank) const { return visits_[list(bank).head]; }
  const Visit& hit(int bank) const { return visits_[list(bank).hit]; }
  Visit& hit(int bank) { return visits_[list(bank).hit]; }
  // Whether the oldest request to the bank is not one to its open row; the bank has one of those.
  bool passes_over(int bank) const { return list(bank).hit != list(bank).head; }

  // The age of one of a visit's queued bursts, from 0.
  std::uint64_t order(const Visit& visit, int burst) const {
    return visit.base + places_[visit.column + visit.left + burst];
  }
  // A visit begins, whose first burst, of age `order`, is to enter; it stays where it is until all
  // of its bursts have left.
  Visit& begin(int bank, std::int64_t row, int column, std::int64_t open_row, std::uint64_t order);
  // Bursts enter, the first at `free` and each of the others `step` later, but none before `now`;
  // returns the sum of those ticks. `now` becomes the last of them, and `free` the next.
  Tick enter(Visit& visit, int bursts, Tick& now, Tick& free, Tick step) {
    Tick* const entered = visit.entered + visit.total;
    Tick sum = 0;
    if (bursts == 4) {  // the usual run, without a loop
      const Tick at[4]{std::max(now, free), std::max(now, free + step),
                       std::max(now, free + 2 * step), std::max(now, free + 3 * step)};
      for (int i = 0; i < 4; ++i) entered[i] = at[i];
      sum = at[0] + at[1] + (at[2] + at[3]);
      now = at[3];
      free += 4 * step;
    } else {
      for (int i = 0; i < bursts; ++i, free += step) {
        now = std::max(now, free);
        entered[i] = now;
        sum += now;
      }
    }
    visit.total += bursts;
    size_ += bursts;
    return sum;
  }
  void enter(Visit& visit, int bursts, Tick now) { enter(visit, bursts, now, now, 0); }

  // The next bursts of a visit leave that has more of them queued.
  void leave(Visit& visit, int bursts = 1) {
    visit.left += bursts;
    visit.order = order(visit, 0);
    size_ -= bursts;
  }
  // The last queued burst of hit(bank) leaves, and with it the visit.
  void leave_last(int bank);

  // The bank's open row changed; kClosed matches nothing.
  void row_opened(int bank, std::int64_t row) { set_hit(bank, find(list(bank).head, row)); }
  void row_closed(int bank) {
    if ((hits_ & bit(bank)) != 0) set_hit(bank, kNone);
  }

  // Whether a visit of the bank has that burst queued.
  bool contains(int bank, std::int64_t row, int column) const;

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
    const std::uint64_t hits = slot == kNone ? hits_ & ~bit(bank) : hits_ | bit(bank);
    if (hits != hits_) ++changes_;
    hits_ = hits;
  }
  std::uint16_t find(std::uint16_t slot, std::int64_t row) const {
    while (slot != kNone && visits_[slot].row != row) slot = visits_[slot].next;
    return slot;
  }

  std::unique_ptr<Visit[]> visits_;
  std::vector<std::uint16_t> free_;
  std::vector<List> lists_;
  const std::uint32_t* places_;
  std::uint64_t queued_ = 0;
  std::uint64_t hits_ = 0;
  std::uint32_t changes_ = 0;
  int capacity_;
  int size_ = 0;
};

}  // namespace ridgepoint::dram
