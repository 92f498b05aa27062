// SPDX-License-Identifier: Apache-2.0
// The short way for reads: turns. Where two bank groups fill the data bus, the two servers of a
// pseudo-channel take turns, burst by burst, and the two pseudo-channels fit between each other; as
// long as nothing else happens than bursts of known runs entering, whole rounds are taken at once.
#include <algorithm>
#include <utility>

#include "sim/dram/fast_lanes.hpp"

namespace ridgepoint::dram {
namespace {

constexpr int kPatience = 2;  // turns before rounds are tried again

}  // namespace

// Whether the lane's servers take turns without a gap until something changes: each is held back
// by its bank group for longer than one slot of the data bus, and no longer than two.
bool FastChannel::alternates(const Lane& lane) const {
  if (lane.chosen < 0 || lane.server[1].bank < 0 || lane.next != lane.slot_end) return false;
  return in_time(lane);
}

bool FastChannel::in_time(const Lane& lane) const {
  return lane.server[1 - lane.chosen].ready <= lane.next + tBURST_ && lane.apart <= tBURST_;
}

// Lanes that take turns: one alone before the other's next burst, or both when they fit between
// each other.
struct FastChannel::Turns {
  Lane& lane;
  Lane* other;
  Tick to;
  Tick horizon;      // they end before
  Lane* turn;        // whose turn it is
  Lane* waiting;     // the other one if both take turns
  Tick limit = 0;    // of turns without a thought
  Tick row = 0;      // the next row command
  int patience = 0;  // turns before rounds are tried again
};

// As many bursts as go on without a thought. False when there are none.
bool FastChannel::take_turns(Lane& lane, Lane* other, Tick to) {
  if (!takes_turns_ || !alternates(lane)) return false;
  const Tick start = lane.next;
  Turns turns{lane, other, to, to - 1, &lane, nullptr};
  if (other != nullptr && other->next < start + tBURST_) {
    const bool fits = other->next - start >= spacing_.channel &&
                      start + tBURST_ - other->next >= spacing_.channel;
    if (!fits || !alternates(*other)) return false;
    turns.waiting = other;
  } else if (other != nullptr) {
    turns.horizon = std::min(turns.horizon, other->next);
  }
  const bool both = turns.waiting != nullptr;
  look_ahead(turns);
  while (take_some(turns)) {
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

void FastChannel::look_ahead(Turns& turns) const {
  turns.row = next_row();
  turns.limit = std::min(std::min(turns.horizon, start_at_), turns.lane.wake);
  if (turns.waiting != nullptr) turns.limit = std::min(turns.limit, turns.other->wake);
}

// Whether the lanes go on with what has changed.
bool FastChannel::go_on(Turns& turns) {
  const Tick now = turns.turn->next;
  if (!goes_on(turns.lane, now)) return false;
  if (turns.other != nullptr && !goes_on(*turns.other, now, turns.waiting != nullptr)) return false;
  look_ahead(turns);
  return true;
}

// Whether one of the lane's servers serves the last burst that is there of its visit.
inline bool FastChannel::ends_soon(const Lane& lane) {
  return lane.server[0].visit->queued() == 1 || lane.server[1].visit->queued() == 1;
}

// Row commands that are due, or rounds, or one turn; false when the turns are over.
bool FastChannel::take_some(Turns& turns) {
  Lane& turn = *turns.turn;
  const Tick soonest = std::min(turns.row, turns.limit);
  if (turn.next >= soonest) {
    if (soonest >= turns.horizon || soonest >= start_at_) return false;
    const Tick end = std::min(turns.horizon, start_at_);
    for (; turns.row <= turn.next && turns.row < end; turns.row = next_row()) row_phase(turns.row);
    const bool same = unchanged(turns.lane, turn.next) &&
                      (turns.other == nullptr || unchanged(*turns.other, turn.next));
    return same || go_on(turns);
  }
  if (ends_soon(turn) || (turns.waiting != nullptr && ends_soon(*turns.waiting))) {
    turns.patience = 0;
  } else if (--turns.patience < 0) {
    if (const int rounds = rounds_ahead(turn, turns.waiting, turns.limit, turns.row); rounds > 1) {
      take_rounds(turn, turns.waiting, rounds);
      return go_on(turns);
    }
    turns.patience = kPatience;
  }
  if (!take_turn(turn)) return false;
  const bool more = make_room(turn, turn.next - tBURST_ + 1, turns.to);
  if (passed_over_) return false;
  const bool left = turn.changes != turn.queue->changes();
  if (left && succeed(turn) && !in_time(turn)) return false;
  if ((!more || left) && !go_on(turns)) return false;
  if (turns.waiting != nullptr) std::swap(turns.turn, turns.waiting);
  return true;
}

// Whether nothing has changed for the lane by `now`.
inline bool FastChannel::unchanged(const Lane& lane, Tick now) {
  return lane.changes == lane.queue->changes() && lane.wake > now;
}

// Whether the lane goes on taking turns with what has changed by `now`.
bool FastChannel::goes_on(Lane& lane, Tick now, bool takes_turns) {
  if (unchanged(lane, now)) return true;
  if (!takes_turns) return lane.changes == lane.queue->changes();
  const Tick next = lane.next;
  if (gather(lane, next)) return true;
  turns_taken(lane);
  choose(lane, next);
  plan(lane, next);
  return lane.next == next && alternates(lane);
}

// Whom the server must be older than in its turn, when the other's group has just been used.
std::uint64_t FastChannel::turn_limit(const Lane& lane, int server) {
  return std::min(lane.rival[server], lane.rival[2]);
}

// One burst of the lane's chosen server; false when there is something special about it.
inline bool FastChannel::take_turn(Lane& lane) {
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

// Tells the lane's rules of its latest turns.
void FastChannel::turns_taken(Lane& lane) const {
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
