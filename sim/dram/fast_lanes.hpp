// SPDX-License-Identifier: Apache-2.0
// What the sources of the short way for reads share; see fast_channel.cpp.
#pragma once

#include "sim/dram/fast_channel.hpp"

namespace ridgepoint::dram {

inline constexpr std::uint64_t kNobody = ~std::uint64_t{0};

// A bank that has requests to its open row.
struct FastChannel::Server {
  int bank = -1;  // flat; -1: none
  BankQueues::Visit* visit = nullptr;
  std::uint64_t order = kNobody;
  Tick ready = core::kNever;  // by the rules of its bank, group and stack id
  Tick group_ready = 0;       // nobody in its group is ready before
  Tick last = -1;             // its latest column command that no register knows of
  std::int32_t bursts = 0;    // that no statistic knows of
  bool first_of_row = false;
};

// A bank that may become one.
struct FastChannel::Contender {
  std::uint64_t order;
  Tick ready;
  int bank;  // flat
};

// One pseudo-channel: the oldest request to an open row (0), the oldest in another bank group (1),
// and their rivals: how old the oldest of all others is, who must stay younger than whom is served,
// and when the first of them might be ready; for those in the group of server 0, in that of
// server 1, elsewhere in their stack id, and in others that a column command there holds back for
// longer than a burst.
struct FastChannel::Lane {
  PseudoChannel* pc = nullptr;
  BankQueues* queue = nullptr;
  Server server[2];
  Tick apart = 0;  // the other server's spacing
  std::uint64_t rival[4]{kNobody, kNobody, kNobody, kNobody};
  Tick rival_ready[4]{core::kNever, core::kNever, core::kNever, core::kNever};
  Tick last = 0;              // the latest column command, if known
  int last_stack_id = -1;     // its stack id
  std::uint32_t changes = 0;  // of the queue, that the lane knows of
  std::uint64_t known = 0;    // hits() then
  std::uint64_t unready = 0;  // those of them that make the lane wake
  Tick gate = 0;              // by the rules of the pseudo-channel and the channel
  Tick slot_end = 0;          // of the data bus
  Tick next = core::kNever;   // the next column command
  Tick wake = core::kNever;   // another bank may have one from then on
  std::uint64_t order = 0;
  int chosen = -1;  // its server; -1: another request might be served then
  int count = 0;    // contenders, the oldest first; those that the lane awaits are not among them
  Contender contender[BankQueues::kMostBanks];
  Ledger::Stretch stretch;

  // Banks with requests to their open row that may be served.
  std::uint64_t hits() const { return queue->hits() & ~pc->held; }
  void add(const Contender& another) {
    int at = count++;
    for (; at > 0 && contender[at - 1].order > another.order; --at) {
      contender[at] = contender[at - 1];
    }
    contender[at] = another;
  }
};

inline void FastChannel::count_first(Lane& lane, Server& server) {
  if (!server.first_of_row) return;
  ledger_.count_first(server.bank);
  ++lane.stretch.firsts;
  server.first_of_row = false;
}

inline void FastChannel::burst_left(Lane& lane, Server& server, Tick now) {
  if (server.visit->queued() > 1) {
    lane.queue->leave(*server.visit);
    server.order = server.visit->order;
  } else {
    server_left(lane, server, now);
  }
}

// A burst has left: the blocked one enters at `now`, unless that is not to be simulated yet.
// False when more than the length of a run may have changed.
inline bool FastChannel::make_room(const Lane& lane, Tick now, Tick to) {
  if (incoming_.left == 0 || incoming_.here().pc != lane.pc) return true;
  if (now >= to) {
    start_at_ = now;
    return false;
  }
  BankQueues::Visit* visit = incoming_.here().visit;
  if (incoming_.left > 1 && visit != nullptr && lane.pc->queues[1].empty()) {
    lane.queue->enter(*visit, 1, now);
    ledger_.entered(1, now);
    ++incoming_.piece->next_burst;
    --incoming_.left;
    return true;
  }
  feed(now);
  return false;
}

inline void FastChannel::trace_read(const Server& server, Tick now) {
  if (!ledger_.observed()) return;
  const BankQueues::Visit& visit = *server.visit;
  ledger_.trace(Command::kRd, {server.bank, visit.row, visit.oldest_column()}, now);
}

}  // namespace ridgepoint::dram
