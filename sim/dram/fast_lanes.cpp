// SPDX-License-Identifier: Apache-2.0
// The short way for reads: who is served next. Servers are appointed among the requests to open
// rows, and the next column command is planned.
#include "sim/dram/fast_lanes.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ridgepoint::dram {

// After something that may have changed who has requests to open rows. False when nothing did.
bool FastChannel::renew(Lane& lane, Tick now) {
  if (lane.changes == lane.queue->changes()) return false;
  absorb(lane, now);
  plan(lane, now);
  return true;
}

void FastChannel::absorb(Lane& lane, Tick now) {
  if (!gather(lane, now)) choose(lane, now);
}

// Takes notice of banks that have got requests to open rows, or may have a column command soon.
// True when the servers stay the same.
bool FastChannel::gather(Lane& lane, Tick now) {
  const std::uint64_t hits = lane.hits();
  const Tick soon = std::max(lane.gate, now) + 2 * tBURST_;
  std::uint64_t fresh = hits & ~lane.known;
  if (lane.wake <= soon) {
    fresh |= std::exchange(lane.unready, 0);
    lane.wake = core::kNever;
  }
  lane.changes = lane.queue->changes();
  lane.known = hits;
  bool same = lane.server[0].bank >= 0 && lane.server[1].bank >= 0;
  const std::uint64_t younger = std::max(lane.server[0].order, lane.server[1].order);
  const Timers::Narrow narrow = timers_.narrow(Command::kRd);
  for (; fresh != 0; fresh &= fresh - 1) {
    const int local = std::countr_zero(fresh);
    const Contender contender{lane.queue->hit(local).order, narrow(lane.pc->first_bank + local),
                              lane.pc->first_bank + local};
    if (same && (contender.order > younger || elsewhere(lane, contender.bank))) {
      // Ready or not, it has to wait.
      lane.add(contender);
      add_rival(lane, contender);
    } else if (contender.ready > soon) {
      await(lane, contender);
    } else {
      lane.add(contender);
      same = false;
    }
  }
  return same;
}

// The lane wakes when the contender is ready.
void FastChannel::await(Lane& lane, const Contender& contender) const {
  lane.wake = std::min(lane.wake, contender.ready);
  lane.unready |= std::uint64_t{1} << (contender.bank & bank_mask_);
}

// By how much a column command to bank `a` holds one to bank `b` of the same pseudo-channel back,
// beyond what holds back all.
Tick FastChannel::read_spacing(int a, int b) const {
  if (a >> stack_id_shift_ != b >> stack_id_shift_) return spacing_.other_stack_id;
  return a >> group_shift_ == b >> group_shift_ ? spacing_.group : spacing_.stack_id;
}

// Appoints the servers anew among the requests to open rows that are ready at `from`, or two
// bursts later.
void FastChannel::prepare(Lane& lane, Tick from) {
  lane.changes = lane.queue->changes();
  lane.known = lane.hits();
  find_ready(lane, std::max(lane.gate, from) + 2 * tBURST_);
  if (lane.count == 0 && lane.wake != core::kNever) find_ready(lane, lane.wake + 2 * tBURST_);
  choose_among(lane, from);
}

void FastChannel::find_ready(Lane& lane, Tick soon) {
  lane.wake = core::kNever;
  lane.unready = 0;
  lane.count = 0;
  const Timers::Narrow narrow = timers_.narrow(Command::kRd);
  for (std::uint64_t left = lane.known; left != 0; left &= left - 1) {
    const int local = std::countr_zero(left);
    const int bank = lane.pc->first_bank + local;
    const Tick ready = bank == lane.server[0].bank   ? lane.server[0].ready
                       : bank == lane.server[1].bank ? lane.server[1].ready
                                                     : narrow(bank);
    const Contender contender{lane.queue->hit(local).order, ready, bank};
    if (ready > soon) {
      await(lane, contender);
    } else {
      lane.add(contender);
    }
  }
}

// Appoints the servers anew among them and the contenders that are ready soon.
void FastChannel::choose(Lane& lane, Tick now) {
  const Tick soon = std::max(lane.gate, now) + 2 * tBURST_;
  int kept = 0;
  for (int i = 0; i < lane.count; ++i) {
    if (lane.contender[i].ready > soon) {
      await(lane, lane.contender[i]);
    } else {
      lane.contender[kept++] = lane.contender[i];
    }
  }
  lane.count = kept;
  for (const Server& server : lane.server) {
    if (server.bank >= 0) lane.add({server.order, server.ready, server.bank});
  }
  choose_among(lane, now);
}

// When a contender may have a column command, as far as is known.
Tick FastChannel::within_reach(const Lane& lane, const Contender& contender) const {
  const bool held_back = stack_ids_apart_ && lane.last_stack_id >= 0 &&
                         contender.bank >> stack_id_shift_ != lane.last_stack_id;
  return held_back ? std::max(contender.ready, lane.last + spacing_.other_stack_id)
                   : contender.ready;
}

// Whether the bank is held back as long as the lane's servers take turns.
bool FastChannel::elsewhere(const Lane& lane, int bank) const {
  const auto stack_id = [this](const Server& server) { return server.bank >> stack_id_shift_; };
  return stack_ids_apart_ && bank >> stack_id_shift_ != stack_id(lane.server[0]) &&
         (lane.server[1].bank < 0 || stack_id(lane.server[0]) == stack_id(lane.server[1]));
}

// The oldest contender becomes server 0, the oldest in another bank group server 1; where stack ids
// hold each other back, the oldest that is ready now, and one in its stack id if there is any.
void FastChannel::choose_among(Lane& lane, Tick now) {
  const Contender* const begin = lane.contender;
  const Contender* const end = begin + lane.count;
  const Contender* oldest = begin;
  const Contender* next = end;
  if (stack_ids_apart_) {
    const Tick at = spec_->align_up(Command::kRd, std::max(lane.gate, now));
    const auto ready = [&](const Contender& each) { return within_reach(lane, each) <= at; };
    oldest = std::find_if(oldest, end, ready);
    if (oldest == end) oldest = begin;
    next = std::find_if(begin, end, [&](const Contender& each) {
      return each.bank >> group_shift_ != oldest->bank >> group_shift_ &&
             each.bank >> stack_id_shift_ == oldest->bank >> stack_id_shift_;
    });
  }
  if (next == end) {
    next = std::find_if(begin, end, [&](const Contender& each) {
      return each.bank >> group_shift_ != oldest->bank >> group_shift_;
    });
  }
  const int first = oldest == end ? -1 : oldest->bank;
  const int second = next == end ? -1 : next->bank;
  Contender* const kept = std::remove_if(
      lane.contender, lane.contender + lane.count,
      [&](const Contender& each) { return each.bank == first || each.bank == second; });
  lane.count = static_cast<int>(kept - lane.contender);
  if (lane.server[0].bank == second || lane.server[1].bank == first) {
    std::swap(lane.server[0], lane.server[1]);
  }
  const int bank[2]{first, second};
  for (int i = 0; i < 2; ++i) {
    if (lane.server[i].bank != bank[i]) settle(lane.server[i]);
  }
  for (int i = 0; i < 2; ++i) {
    if (lane.server[i].bank != bank[i]) appoint(lane, i, bank[i]);
  }
  lane.apart = second < 0 ? 0 : read_spacing(first, second);
  find_rivals(lane);
}

// Makes the bank server `i`.
void FastChannel::appoint(Lane& lane, int i, int bank) const {
  Server& server = lane.server[i];
  const Server& other = lane.server[1 - i];
  server = {};
  if (bank < 0) return;
  server.bank = bank;
  server.ready = timers_.narrow(Command::kRd)(bank);
  server.group_ready = timers_.at(Scope::kBankGroup, Command::kRd, bank);
  if (other.last >= 0) {
    server.ready = std::max(server.ready, other.last + read_spacing(other.bank, bank));
  }
  look_up(lane, server);
}

// When nothing has changed but that one server has left and the other is the oldest of all: the
// oldest contender of another bank group succeeds it. False otherwise, with nothing done.
bool FastChannel::succeed(Lane& lane) {
  const int place = lane.server[0].bank < 0 ? 0 : 1;
  const Server& other = lane.server[1 - place];
  if (lane.known != lane.hits() || lane.server[place].bank >= 0 || other.bank < 0) {
    return false;
  }
  const int group = other.bank >> group_shift_;
  int at = 0;
  for (; at < lane.count; ++at) {
    const Contender& contender = lane.contender[at];
    if (stack_ids_apart_ && contender.bank >> stack_id_shift_ != other.bank >> stack_id_shift_) {
      continue;
    }
    if (contender.order < other.order) return false;
    if (contender.bank >> group_shift_ != group && contender.ready <= lane.next + tBURST_) break;
  }
  if (at == lane.count) return false;
  const int bank = lane.contender[at].bank;
  appoint(lane, place, bank);
  std::copy(lane.contender + at + 1, lane.contender + lane.count, lane.contender + at);
  --lane.count;
  lane.apart = read_spacing(other.bank, bank);
  find_rivals(lane);
  lane.changes = lane.queue->changes();
  return true;
}

void FastChannel::find_rivals(Lane& lane) const {
  for (int i = 0; i < 4; ++i) lane.rival[i] = kNobody, lane.rival_ready[i] = core::kNever;
  for (int i = 0; i < lane.count; ++i) add_rival(lane, lane.contender[i]);
}

void FastChannel::add_rival(Lane& lane, const Contender& rival) const {
  const int group = rival.bank >> group_shift_;
  const int where = group == lane.server[0].bank >> group_shift_   ? 0
                    : group == lane.server[1].bank >> group_shift_ ? 1
                    : elsewhere(lane, rival.bank)                  ? 3
                                                                   : 2;
  lane.rival[where] = std::min(lane.rival[where], rival.order);
  lane.rival_ready[where] = std::min(lane.rival_ready[where], rival.ready);
}

// The server's next burst.
void FastChannel::look_up(const Lane& lane, Server& server) const {
  server.visit = &lane.queue->hit(server.bank & bank_mask_);
  server.order = server.visit->order;
  server.first_of_row = ledger_.first_of_row(server.bank);
}

// The next column command: at the first tick from `from` on that the buses allow, by the older of
// the servers that are ready then, provided that nobody else may be older or readier.
void FastChannel::plan(Lane& lane, Tick from) const {
  lane.order = 0;  // somebody not known goes first
  lane.chosen = -1;
  const auto& [first, second] = lane.server;
  if (first.bank < 0) {
    lane.next = std::max(lane.wake, from);
    return;
  }
  lane.next = spec_->align_up(Command::kRd, std::max(lane.gate, from));
  const Tick ready = std::min(first.ready, second.ready);
  const bool held_back = first.bank >> stack_id_shift_ == lane.last_stack_id;
  const Tick farther = held_back && lane.rival_ready[3] != core::kNever
                           ? std::max(lane.rival_ready[3], lane.last + spacing_.other_stack_id)
                           : lane.rival_ready[3];
  if (ready > lane.next) {
    const Tick rivals =
        std::min({std::max(lane.rival_ready[0], first.group_ready),
                  std::max(lane.rival_ready[1], second.group_ready), lane.rival_ready[2], farther});
    if (rivals <= lane.next) return;  // not known who
    lane.next = spec_->align_up(Command::kRd, std::min(ready, rivals));
  }
  std::uint64_t oldest = lane.rival[2];
  if (farther <= lane.next) oldest = std::min(oldest, lane.rival[3]);
  if (first.group_ready <= lane.next) oldest = std::min(oldest, lane.rival[0]);
  if (second.group_ready <= lane.next) oldest = std::min(oldest, lane.rival[1]);
  if (first.ready <= lane.next && first.order < oldest) oldest = first.order, lane.chosen = 0;
  if (second.ready <= lane.next && second.order < oldest) oldest = second.order, lane.chosen = 1;
  if (lane.next >= lane.wake) {
    lane.next = std::max(lane.wake, from);
    lane.chosen = -1;
  } else if (lane.chosen >= 0) {
    lane.order = oldest;
  }
}

}  // namespace ridgepoint::dram
