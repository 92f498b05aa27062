// SPDX-License-Identifier: Apache-2.0
// The short way for reads: turns. Where two bank groups fill the data bus, the two servers of a
// pseudo-channel take turns, burst by burst, and the two pseudo-channels fit between each other; as
// long as nothing else happens than bursts of known runs entering, whole rounds are taken at once.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/dram/event_lanes.hpp"

namespace ridgepoint::dram {
namespace {

constexpr int kMostRounds = 32;
constexpr int kPatience = 2;  // turns before rounds are tried again

}  // namespace

// Whether the lane's servers take turns without a gap until something changes: each is held back
// by its bank group for longer than one slot of the data bus, and no longer than two.
bool EventChannel::alternates(const Lane& lane) const {
  if (lane.chosen < 0 || lane.server[1].bank < 0 || lane.next != lane.slot_end) return false;
  return in_time(lane);
}

bool EventChannel::in_time(const Lane& lane) const {
  return lane.server[1 - lane.chosen].ready <= lane.next + tBURST_ && lane.apart <= tBURST_;
}

// As many bursts as go on without a thought: those of `lane` alone before the other lane's next
// one, or of both when they fit between each other. False when there are none.
bool EventChannel::take_turns(Lane& lane, Lane* other, Tick to) {
  if (!takes_turns_ || !alternates(lane)) return false;
  const Tick start = lane.next;
  Tick horizon = to - 1;
  Lane* waiting = nullptr;
  if (other != nullptr && other->next < start + tBURST_) {
    const bool fits = other->next - start >= spacing_.channel &&
                      start + tBURST_ - other->next >= spacing_.channel;
    if (!fits || !alternates(*other)) return false;
    waiting = other;
  } else if (other != nullptr) {
    horizon = std::min(horizon, other->next);
  }
  const bool both = waiting != nullptr;
  Lane* turn = &lane;
  Tick limit = 0;  // of turns without a thought
  Tick row = 0;
  const auto look = [&] {
    row = next_row();
    limit = std::min({horizon, start_at_, lane.wake, both ? other->wake : horizon});
  };
  const auto go_on = [&] {
    return goes_on(lane, turn->next) && (other == nullptr || goes_on(*other, turn->next, both));
  };
  look();
  int patience = 0;
  for (;;) {
    const Tick soonest = std::min(row, limit);
    if (turn->next >= soonest) {
      if (soonest >= horizon || soonest >= start_at_) break;
      for (; row <= turn->next && row < std::min(horizon, start_at_); row = next_row()) {
        row_phase(row);
      }
      if (!go_on()) break;
      look();
      continue;
    }
    if (ends_soon(*turn) || (both && ends_soon(*waiting))) {
      patience = 0;
    } else if (--patience < 0) {
      if (const int rounds = rounds_ahead(*turn, waiting, limit, row); rounds > 1) {
        take_rounds(*turn, waiting, rounds);
        if (!go_on()) break;
        look();
        continue;
      }
      patience = kPatience;
    }
    if (!take_turn(*turn)) break;
    const bool more = make_room(*turn, turn->next - tBURST_ + 1, to);
    const bool left = turn->changes != turn->queue->changes();
    if (passed_over_) break;
    if (!more || left) {
      if (left && succeed(*turn) && !in_time(*turn)) break;
      if (!go_on()) break;
      look();
    }
    if (both) std::swap(turn, waiting);
  }
  if (lane.next == start) return false;
  turns_taken(lane);
  if (!renew(lane, lane.next)) plan(lane, lane.next);
  if (both) {
    turns_taken(*other);
    if (!renew(*other, other->next)) plan(*other, other->next);
  } else if (other != nullptr) {
    give_way(*other, lane.next - tBURST_);
  }
  return true;
}

// Whether the lane goes on taking turns with what has changed by `now`.
bool EventChannel::goes_on(Lane& lane, Tick now, bool takes_turns) {
  if (lane.changes == lane.queue->changes() && lane.wake > now) return true;
  if (!takes_turns) return lane.changes == lane.queue->changes();
  const Tick next = lane.next;
  if (gather(lane, next)) return true;
  turns_taken(lane);
  choose(lane, next);
  plan(lane, next);
  return lane.next == next && alternates(lane);
}

// Whom the server must be older than in its turn, when the other's group has just been used.
std::uint64_t EventChannel::turn_limit(const Lane& lane, int server) {
  return std::min(lane.rival[server], lane.rival[2]);
}

inline void EventChannel::count_first(Lane& lane, Server& server) {
  if (!server.first_of_row) return;
  ledger_.count_first(server.bank);
  ++lane.stretch.firsts;
  server.first_of_row = false;
}

// One burst of the lane's chosen server; false when there is something special about it.
inline bool EventChannel::take_turn(Lane& lane) {
  Server& server = lane.server[lane.chosen];
  if (server.order >= turn_limit(lane, lane.chosen) || !server.visit->whole) return false;
  count_first(lane, server);
  ++trial_.bursts;
  ++lane.stretch.bursts[static_cast<std::size_t>(server.visit->traffic)];
  lane.stretch.ticks += lane.next;
  ++server.bursts;
  server.last = lane.next;
  trace_read(server, lane.next);
  lane.chosen ^= 1;
  lane.next += tBURST_;
  burst_left(lane, server, server.last);
  return true;
}

// Whether one of the lane's servers serves the last burst that is there of its visit.
bool EventChannel::ends_soon(const Lane& lane) {
  return lane.server[0].visit->queued() == 1 || lane.server[1].visit->queued() == 1;
}

// How many bursts of each lane follow in turn before `limit` without anything else happening than
// row commands, from `row` on, and blocked bursts entering whose row is not open yet.
int EventChannel::rounds_ahead(const Lane& lane, const Lane* other, Tick limit, Tick row) {
  const Tick start = other != nullptr ? other->next : lane.next;
  if (start + tBURST_ >= limit) return 0;
  int rounds = rounds_of(lane, kMostRounds);
  if (other != nullptr) rounds = rounds_of(*other, rounds);
  if (rounds < 2) return 0;
  if (incoming_.left > 0 && (other != nullptr || incoming_.here().pc == lane.pc)) {
    const int lanes = other != nullptr ? 2 : 1;
    int places = 0;
    for (const PseudoChannel& pc : pcs_) {
      if (!pc.queues[1].empty()) return 0;
      places += pc.queues[0].room();
    }
    bool begins = false;
    const int bursts = quiet_bursts(places + lanes * rounds, begins);
    if (begins) row = std::min(row, lane.next);
    rounds = std::min(rounds, (bursts - places) / lanes);
  }
  const auto trim = [&](Tick end) {
    while (rounds > 0 && start + (rounds - 1) * tBURST_ >= end) --rounds;
  };
  trim(limit);
  // A row opened meanwhile is of no use before tRCD has passed, nor then to requests that are younger
  // than those of the lanes.
  if (rounds > 0 && row <= start + (rounds - 1) * tBURST_ - tRCDRD_) {
    const bool all = other != nullptr || pcs_.size() == 1;
    const bool younger = all && !waits_for_row(lane, rounds) &&
                         (other == nullptr || !waits_for_row(*other, rounds));
    if (!younger) trim(row + tRCDRD_);
  }
  return rounds;
}

// Whether a request older than some of the next `rounds` bursts waits for its row.
bool EventChannel::waits_for_row(const Lane& lane, int rounds) const {
  const BankQueues& queue = *lane.queue;
  const Server& first = lane.server[lane.chosen];
  const Server& second = lane.server[1 - lane.chosen];
  const std::uint64_t youngest = std::max(queue.order(*first.visit, (rounds + 1) / 2 - 1),
                                          queue.order(*second.visit, rounds / 2 - 1));
  for (std::uint64_t left = queue.queued() & ~queue.hits(); left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    if (queue.oldest(bank).order < youngest && !elsewhere(lane, lane.pc->first_bank + bank)) {
      return true;
    }
  }
  return false;
}

// At most `rounds`, as far as the lane's servers are both plain and the oldest.
int EventChannel::rounds_of(const Lane& lane, int rounds) {
  const Server& first = lane.server[lane.chosen];
  const Server& second = lane.server[1 - lane.chosen];
  if (!first.visit->whole || !second.visit->whole) return 0;
  rounds = std::min({rounds, 2 * (first.visit->queued() - 1), 2 * second.visit->queued() - 1});
  for (; rounds > 1; rounds /= 2) {
    const auto youngest = [&](const Server& server, int bursts) {
      return lane.queue->order(*server.visit, bursts - 1);
    };
    if (youngest(first, (rounds + 1) / 2) < turn_limit(lane, lane.chosen) &&
        youngest(second, rounds / 2) < turn_limit(lane, 1 - lane.chosen)) {
      return rounds;
    }
  }
  return 0;
}

void EventChannel::take_rounds(Lane& lane, Lane* other, int rounds) {
  if (ledger_.observed()) trace_rounds(lane, other, rounds);
  const Tick first = lane.next;
  const Tick other_first = other != nullptr ? other->next : 0;
  take_rounds(lane, rounds);
  if (other != nullptr) take_rounds(*other, rounds);
  if (incoming_.left > 0 && (other != nullptr || incoming_.here().pc == lane.pc)) {
    fill_up(lane, first, rounds, other, other_first);
  }
}

void EventChannel::take_rounds(Lane& lane, int rounds) {
  const Tick last = (rounds - 1) * tBURST_;
  lane.stretch.ticks += rounds * lane.next + rounds * last / 2;
  for (int i = 0; i < 2; ++i) {
    Server& server = lane.server[i == 0 ? lane.chosen : 1 - lane.chosen];
    const int bursts = (rounds + 1 - i) / 2;
    count_first(lane, server);
    lane.queue->leave(*server.visit, bursts);
    server.order = server.visit->order;
    server.bursts += bursts;
    server.last = lane.next + (2 * (bursts - 1) + i) * tBURST_;
    lane.stretch.bursts[static_cast<std::size_t>(server.visit->traffic)] += bursts;
  }
  trial_.bursts += rounds;
  lane.chosen ^= rounds & 1;
  lane.next += rounds * tBURST_;
}

// The places in a queue while rounds are taken.
struct EventChannel::Places {
  int at_hand = 0;  // free before
  int later = 0;    // that the rounds free
  Tick next = 0;    // the tick of the first of those

  // So many of at most `most` bursts enter next, the first at `now`, which it may have to wait for,
  // and each of the others `step` later.
  int take(int most, Tick spacing, Tick& now, Tick& step) {
    step = 0;
    if (at_hand > 0) {
      const int bursts = std::min(most, at_hand);
      at_hand -= bursts;
      return bursts;
    }
    most = std::min(most, later);
    int bursts = most;
    if (next > now) {
      now = next;
      step = spacing;
    } else {  // those that became free while the other pseudo-channel had none, at once
      for (bursts = 0; bursts < most && next + bursts * spacing <= now;) ++bursts;
    }
    later -= bursts;
    next += bursts * spacing;
    return bursts;
  }
};

// Bursts enter in their order, each at the tick after the column command that made room for it.
void EventChannel::fill_up(const Lane& lane, Tick first, int rounds, const Lane* other,
                           Tick other_first) {
  Places places[kLanes];
  for (const PseudoChannel& pc : pcs_) places[pc.index].at_hand = pc.queues[0].room();
  places[lane.pc->index] = {lane.queue->room() - rounds, rounds, first + 1};
  if (other != nullptr) {
    places[other->pc->index] = {other->queue->room() - rounds, rounds, other_first + 1};
  }
  Incoming& in = incoming_;
  Tick now = 0;
  Tick ticks = 0;
  int entered = 0;
  for (;; open_run(now)) {
    Entrance& here = in.here();
    BankQueues& queue = here.pc->queues[0];
    Places& free = places[here.pc->index];
    for (int left = in.left; left > 0;) {
      Tick step;
      const int bursts = free.take(left, tBURST_, now, step);
      if (bursts == 0) {
        ledger_.entered(entered, ticks);
        return;
      }
      if (here.visit == nullptr) {
        while (next_row() < now) row_phase(next_row());
        begin_visit(queue, now);
      }
      queue.enter(*here.visit, bursts, now, step);
      entered += bursts;
      ticks += bursts * now + step * (bursts * (bursts - 1) / 2);
      now += (bursts - 1) * step;
      in.left = left -= bursts;
      in.piece->next_burst += bursts;
    }
  }
}

void EventChannel::trace_rounds(const Lane& lane, const Lane* other, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (const Lane* each : {&lane, other}) {
      if (each == nullptr) continue;
      const Server& server = each->server[each->chosen ^ (round & 1)];
      const BankQueues::Visit& visit = *server.visit;
      ledger_.trace(Command::kRd, {server.bank, visit.row, visit.oldest_column() + round / 2},
                    each->next + round * tBURST_);
    }
  }
}

// Tells the lane's rules of its latest turns.
void EventChannel::turns_taken(Lane& lane) const {
  const Tick last = lane.next - tBURST_;
  if (lane.slot_end != lane.next) {
    lane.stretch.last = lane.last = last;
    lane.last_stack_id = std::max(lane.server[0].bank, lane.server[1].bank) >> stack_id_shift_;
  }
  lane.slot_end = lane.next;
  lane.gate = std::max(lane.gate, lane.next);
  for (int i = 0; i < 2; ++i) {
    Server& server = lane.server[i];
    const Tick other_last = lane.server[1 - i].last;
    if (server.last >= 0) {
      server.ready = std::max(server.ready, server.last + spacing_.self);
      server.group_ready = std::max(server.group_ready, server.last + spacing_.group);
    }
    if (other_last >= 0) server.ready = std::max(server.ready, other_last + lane.apart);
  }
}

}  // namespace ridgepoint::dram
