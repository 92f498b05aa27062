// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/bank_queues.hpp"

namespace ridgepoint::dram {

BankQueues::Visit& BankQueues::begin(int bank, std::int64_t row, int column, std::int64_t open_row,
                                     std::uint64_t order) {
  const std::uint16_t slot = free_.back();
  free_.pop_back();
  Visit& visit = visits_[slot];
  visit.row = row;
  visit.order = order;
  visit.base = order - places_[column];
  visit.column = column;
  visit.next = kNone;
  visit.left = visit.total = 0;
  List& to = list(bank);
  if (to.head == kNone) {
    to.head = slot;
  } else {
    visits_[to.tail].next = slot;
  }
  to.tail = slot;
  queued_ |= bit(bank);
  if (to.hit == kNone && row == open_row) set_hit(bank, slot);
  return visit;
}

void BankQueues::leave_last(int bank) {
  List& from = list(bank);
  const std::uint16_t slot = from.hit;
  const Visit& visit = visits_[slot];
  --size_;
  if (from.head == slot) {
    from.head = visit.next;
    if (visit.next == kNone) queued_ &= ~bit(bank);
  } else {
    std::uint16_t before = from.head;
    while (visits_[before].next != slot) before = visits_[before].next;
    visits_[before].next = visit.next;
    if (from.tail == slot) from.tail = before;
  }
  free_.push_back(slot);
  set_hit(bank, find(visit.next, visit.row));
}

bool BankQueues::contains(int bank, std::int64_t row, int column) const {
  if ((queued_ & bit(bank)) == 0) return false;
  for (std::uint16_t slot = list(bank).head; slot != kNone; slot = visits_[slot].next) {
    const Visit& visit = visits_[slot];
    if (visit.row == row && column >= visit.oldest_column() &&
        column < visit.column + visit.total) {
      return true;
    }
  }
  return false;
}

}  // namespace ridgepoint::dram
