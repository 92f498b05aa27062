// SPDX-License-Identifier: Apache-2.0
// The short way for reads: who is served next. Servers are appointed among the requests to open
// rows, and the next column command is planned.
#include "sim/dram/event_lanes.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ridgepoint::dram {

// After something that may have changed who has requests to open rows. False when nothing did.
bool EventChannel::renew(Lane& lane, Tick now) {
  if (lane.changes == lane.queue->changes()) return false;
  if (!add_rivals(lane, now)) prepare(lane, now);
  plan(lane, now);
  return true;
}

// The usual case of a change: more banks have requests to open rows. False for any other.
bool EventChannel::add_rivals(Lane& lane, Tick now) {
  const std::uint64_t hits = lane.queue->hits();
  if ((lane.known & ~hits) != 0) return false;
  for (const Server& server : lane.server) {
    if (server.visit == nullptr) return false;
  }
  const Tick soon = std::max(lane.gate, now) + 2 * tBURST_;
  const Timers::Narrow narrow = timers_.narrow(Command::kRd);
  for (std::uint64_t left = hits & ~lane.known; left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    const Tick ready = narrow(lane.pc->first_bank + bank);
    if (ready <= soon) return false;
    lane.wake = std::min(lane.wake, ready);
  }
  lane.unready |= hits & ~lane.known;
  lane.known = hits;
  lane.changes = lane.queue->changes();
  return true;
}

// By how much a column command to bank `a` holds one to bank `b` of the same pseudo-channel back,
// beyond what holds back all.
Tick EventChannel::read_spacing(int a, int b) const {
  if (a >> stack_id_shift_ != b >> stack_id_shift_) return spacing_.other_stack_id;
  return a >> group_shift_ == b >> group_shift_ ? spacing_.group : spacing_.stack_id;
}

// Appoints the servers among the requests to open rows that are ready at `from`, or two bursts
// later; the lane wakes when another one becomes ready.
void EventChannel::prepare(Lane& lane, Tick from) {
  lane.changes = lane.queue->changes();
  lane.known = lane.queue->hits();
  Contender ready[BankQueues::kMostBanks];
  Tick soon = std::max(lane.gate, from) + 2 * tBURST_;
  int count = ready_by(soon, lane, ready);
  if (count == 0 && lane.wake != core::kNever) {
    soon = lane.wake + 2 * tBURST_;
    count = ready_by(soon, lane, ready);
  }
  const Contender none{-1, -1, kNobody, core::kNever};
  Contender first = none;
  for (int i = 0; i < count; ++i) {
    if (ready[i].order < first.order) first = ready[i];
  }
  Contender second = none;  // the oldest in another bank group
  for (int i = 0; i < count; ++i) {
    if (ready[i].group != first.group && ready[i].order < second.order) second = ready[i];
  }
  appoint(lane, first.bank, second.bank);
  for (int i = 0; i < 3; ++i) lane.rival[i] = kNobody, lane.rival_ready[i] = core::kNever;
  const int group[2]{lane.server[0].bank >> group_shift_, lane.server[1].bank >> group_shift_};
  for (int i = 0; i < count; ++i) {
    const Contender& rival = ready[i];
    if (rival.bank == first.bank || rival.bank == second.bank) continue;
    const int where = rival.group == group[0] ? 0 : rival.group == group[1] ? 1 : 2;
    lane.rival[where] = std::min(lane.rival[where], rival.order);
    lane.rival_ready[where] = std::min(lane.rival_ready[where], rival.ready);
  }
}

// Other banks have become ready, or will soon. False, with nothing done, when one of them may go
// before a server.
bool EventChannel::add_ready(Lane& lane, Tick now) {
  const auto& [first, second] = lane.server;
  if (second.bank < 0) return false;
  const int group[2]{first.bank >> group_shift_, second.bank >> group_shift_};
  const Tick soon = std::max(lane.gate, now) + 2 * tBURST_;
  const Timers::Narrow narrow = timers_.narrow(Command::kRd);
  std::uint64_t unready = lane.unready;
  Tick wake = core::kNever;
  std::uint64_t order[3]{lane.rival[0], lane.rival[1], lane.rival[2]};
  Tick at[3]{lane.rival_ready[0], lane.rival_ready[1], lane.rival_ready[2]};
  for (std::uint64_t left = unready; left != 0; left &= left - 1) {
    const int local = std::countr_zero(left);
    const int bank = lane.pc->first_bank + local;
    const Tick ready = narrow(bank);
    if (ready > soon) {
      wake = std::min(wake, ready);
      continue;
    }
    const std::uint64_t oldest = lane.queue->hit(local).order;
    if (oldest < first.order || oldest < second.order) return false;
    const int of = bank >> group_shift_;
    const int where = of == group[0] ? 0 : of == group[1] ? 1 : 2;
    order[where] = std::min(order[where], oldest);
    at[where] = std::min(at[where], ready);
    unready &= ~(std::uint64_t{1} << local);
  }
  lane.unready = unready;
  lane.wake = wake;
  std::copy(order, order + 3, lane.rival);
  std::copy(at, at + 3, lane.rival_ready);
  return true;
}

// Banks with requests to their open rows that are ready at `soon`; the others make the lane wake.
int EventChannel::ready_by(Tick soon, Lane& lane, Contender* result) const {
  lane.wake = core::kNever;
  lane.unready = 0;
  int count = 0;
  const Timers::Narrow narrow = timers_.narrow(Command::kRd);
  for (std::uint64_t left = lane.known; left != 0; left &= left - 1) {
    const int local = std::countr_zero(left);
    const int bank = lane.pc->first_bank + local;
    const Tick ready = bank == lane.server[0].bank   ? lane.server[0].ready
                       : bank == lane.server[1].bank ? lane.server[1].ready
                                                     : narrow(bank);
    if (ready > soon) {
      lane.wake = std::min(lane.wake, ready);
      lane.unready |= std::uint64_t{1} << local;
    } else {
      const std::uint64_t order = lane.queue->hit(local).order;
      result[count++] = {bank, bank >> group_shift_, order, ready};
    }
  }
  return count;
}

// Makes two banks the servers; one that was a server already keeps what only it knows.
void EventChannel::appoint(Lane& lane, int first, int second) {
  if (lane.server[0].bank == second || lane.server[1].bank == first) {
    std::swap(lane.server[0], lane.server[1]);
  }
  const int bank[2]{first, second};
  for (int i = 0; i < 2; ++i) {
    if (lane.server[i].bank != bank[i]) settle(lane.server[i]);
  }
  for (int i = 0; i < 2; ++i) {
    Server& server = lane.server[i];
    const Server& other = lane.server[1 - i];
    if (server.bank != bank[i]) {
      server = {};
      if (bank[i] >= 0) {
        server.bank = bank[i];
        server.ready = timers_.narrow(Command::kRd)(bank[i]);
        server.group_ready = timers_.at(Scope::kBankGroup, Command::kRd, bank[i]);
        if (other.last >= 0) {
          server.ready = std::max(server.ready, other.last + read_spacing(other.bank, bank[i]));
        }
      }
    }
    if (bank[i] >= 0) look_up(lane, server);
  }
  lane.apart = second < 0 ? 0 : read_spacing(first, second);
}

// The server's next burst.
void EventChannel::look_up(const Lane& lane, Server& server) const {
  server.visit = &lane.queue->hit(server.bank & bank_mask_);
  server.order = server.visit->order;
  server.first_of_row = ledger_.first_of_row(server.bank);
}

// The next column command: at the first tick from `from` on that the buses allow, by the older of
// the servers that are ready then, provided that nobody else may be older or readier.
void EventChannel::plan(Lane& lane, Tick from) const {
  lane.order = 0;  // somebody not known goes first
  lane.chosen = -1;
  const auto& [first, second] = lane.server;
  if (first.bank < 0) {
    lane.next = std::max(lane.wake, from);
    return;
  }
  lane.next = spec_->align_up(Command::kRd, std::max(lane.gate, from));
  const Tick ready = std::min(first.ready, second.ready);
  if (ready > lane.next) {
    const Tick rivals =
        std::min({std::max(lane.rival_ready[0], first.group_ready),
                  std::max(lane.rival_ready[1], second.group_ready), lane.rival_ready[2]});
    if (rivals <= lane.next) return;  // not known who
    lane.next = spec_->align_up(Command::kRd, std::min(ready, rivals));
  }
  std::uint64_t oldest = lane.rival[2];
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
