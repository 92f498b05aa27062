// SPDX-License-Identifier: Apache-2.0
// The queue of one pseudo-channel and direction, kept as one list per bank in order of age, with
// the oldest request to each bank's open row at hand. Its capacity is counted in bursts; what is
// stored are runs: neighbouring bursts of one request in one row, which enter and leave in order.
// All operations of the usual case are O(1).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/core/memory_port.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

class BankQueues {
 public:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr int kRunBursts = 8;  // longest run
  // What is known when the first burst of a run enters; it may have left since.
  struct Burst {
    std::int64_t row;
    std::uint64_t first_order;  // of entering
    std::int64_t first_burst;   // of the channel
    std::int32_t piece;
    std::int32_t first_column;
    core::Traffic traffic;
    bool whole;  // every byte of every burst of the run was asked for
  };
  struct Run : Burst {
    std::uint16_t next;
    std::int32_t queued;  // bursts
    std::int32_t left;    // bursts that have left
    Tick entered[kRunBursts];

    // Of the next burst to leave:
    std::uint64_t order() const { return first_order + left; }
    std::int64_t burst() const { return first_burst + left; }
    int column() const { return first_column + left; }
    Tick oldest_entered() const { return entered[left]; }
  };

  BankQueues(int capacity, int banks)
      : runs_(static_cast<std::size_t>(capacity)),
        lists_(static_cast<std::size_t>(banks)),
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
  const Run& oldest(int bank) const { return runs_[list(bank).head]; }
  const Run& hit(int bank) const { return runs_[list(bank).hit]; }

  // A run begins with its first `bursts` entering; the slot is valid until they have all left.
  std::uint16_t push(int bank, const Burst& first, int bursts, Tick now, std::int64_t open_row) {
    const std::uint16_t slot = free_.back();
    free_.pop_back();
    Run& run = runs_[slot];
    static_cast<Burst&>(run) = first;
    run.next = kNone;
    run.queued = run.left = 0;
    append(slot, bursts, now);
    List& to = list(bank);
    if (to.head == kNone) {
      to.head = slot;
    } else {
      runs_[to.tail].next = slot;
    }
    to.tail = slot;
    queued_ |= bit(bank);
    if (to.hit == kNone && run.row == open_row) set_hit(bank, slot);
    return slot;
  }
  void append(std::uint16_t slot, int bursts, Tick now) {
    Run& run = runs_[slot];
    for (int i = 0; i < bursts; ++i) run.entered[run.left + run.queued + i] = now;
    run.queued += bursts;
    size_ += bursts;
  }

  // The next burst of hit(bank) leaves. When it was the run's last, `slot` is freed and the
  // bursts that left through it are returned; otherwise 0.
  int leave(int bank, std::uint16_t& slot) {
    List& from = list(bank);
    slot = from.hit;
    Run& run = runs_[slot];
    --size_;
    ++run.left;
    if (--run.queued > 0) return 0;
    remove(from, bank, slot);
    return run.left;
  }

  // The same when the run, a hit, has more bursts queued.
  void leave_inside(std::uint16_t slot) {
    --size_;
    ++runs_[slot].left;
    --runs_[slot].queued;
  }
  std::uint16_t hit_slot(int bank) const { return list(bank).hit; }
  const Run& run(std::uint16_t slot) const { return runs_[slot]; }

  // The bank's open row changed; kClosed matches nothing.
  void row_opened(int bank, std::int64_t row) { set_hit(bank, find(list(bank).head, row)); }
  void row_closed(int bank) {
    if ((hits_ & bit(bank)) != 0) set_hit(bank, kNone);
  }

  bool contains(int bank, std::int64_t burst) const {
    if ((queued_ & bit(bank)) == 0) return false;
    for (std::uint16_t slot = list(bank).head; slot != kNone; slot = runs_[slot].next) {
      const Run& run = runs_[slot];
      if (burst >= run.burst() && burst < run.burst() + run.queued) return true;
    }
    return false;
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
    const std::uint64_t hits = slot == kNone ? hits_ & ~bit(bank) : hits_ | bit(bank);
    if (hits != hits_) ++changes_;
    hits_ = hits;
  }
  void remove(List& from, int bank, std::uint16_t slot) {
    const Run& run = runs_[slot];
    if (from.head == slot) {
      from.head = run.next;
      if (run.next == kNone) queued_ &= ~bit(bank);
    } else {
      std::uint16_t before = from.head;
      while (runs_[before].next != slot) before = runs_[before].next;
      runs_[before].next = run.next;
      if (from.tail == slot) from.tail = before;
    }
    free_.push_back(slot);
    set_hit(bank, find(run.next, run.row));
  }
  std::uint16_t find(std::uint16_t slot, std::int64_t row) const {
    while (slot != kNone && runs_[slot].row != row) slot = runs_[slot].next;
    return slot;
  }

  std::vector<Run> runs_;
  std::vector<std::uint16_t> free_;
  std::vector<List> lists_;
  std::uint64_t queued_ = 0;
  std::uint64_t hits_ = 0;
  std::uint32_t changes_ = 0;
  int capacity_;
  int size_ = 0;
};

}  // namespace ridgepoint::dram
