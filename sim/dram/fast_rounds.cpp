// SPDX-License-Identifier: Apache-2.0
// The short way for reads: rounds. While servers take turns, whole rounds are taken at once, as
// long as nothing else happens than row commands, which follow, and blocked bursts entering.
#include <algorithm>
#include <bit>

#include "sim/dram/fast_lanes.hpp"

namespace ridgepoint::dram {
namespace {

constexpr int kMostRounds = 64;

}  // namespace

// How many bursts of each lane follow in turn before `limit` without anything else happening than
// row commands, from `row` on, and blocked bursts entering whose row is not open yet.
int FastChannel::rounds_ahead(const Lane& lane, const Lane* other, Tick limit, Tick row) {
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
    const int bursts = quiet_bursts(places + lanes * rounds, lane.next, begins);
    if (begins) row = std::min(row, lane.next);
    rounds = std::min(rounds, (bursts - places) / lanes);
  }
  const auto trim = [&](Tick end) {
    while (rounds > 0 && start + (rounds - 1) * tBURST_ >= end) --rounds;
  };
  trim(limit);
  // A row opened meanwhile is of no use before tRCD has passed, nor then to requests that are
  // younger than those of the lanes.
  if (rounds > 0 && row <= start + (rounds - 1) * tBURST_ - tRCDRD_) {
    const bool all = other != nullptr || pcs_.size() == 1;
    const bool younger =
        all && !waits_for_row(lane, rounds) && (other == nullptr || !waits_for_row(*other, rounds));
    if (!younger) trim(row + tRCDRD_);
  }
  return rounds;
}

// Whether a request older than some of the next `rounds` bursts waits for its row.
bool FastChannel::waits_for_row(const Lane& lane, int rounds) const {
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
int FastChannel::rounds_of(const Lane& lane, int rounds) {
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

void FastChannel::take_rounds(Lane& lane, Lane* other, int rounds) {
  if (ledger_.observed()) trace_rounds(lane, other, rounds);
  const Tick first = lane.next;
  const Tick other_first = other != nullptr ? other->next : 0;
  take_rounds(lane, rounds);
  if (other != nullptr) take_rounds(*other, rounds);
  if (incoming_.left > 0 && (other != nullptr || incoming_.here().pc == lane.pc)) {
    fill_up(lane, first, rounds, other, other_first);
  }
}

void FastChannel::take_rounds(Lane& lane, int rounds) {
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

// The places in a queue while rounds are taken: first those that are free, then those that the
// rounds free.
struct FastChannel::Places {
  int count = 0;
  Tick next = 0;  // the tick of the next
  Tick spacing = 0;
  int later = 0;
  Tick first_later = 0;

  // False when there are no more.
  bool find(Tick tBURST) {
    if (count == 0) *this = {later, first_later, tBURST, 0, 0};
    return count > 0;
  }
};

// Bursts enter in their order, each at the tick after the column command that made room for it.
void FastChannel::fill_up(const Lane& lane, Tick first, int rounds, const Lane* other,
                          Tick other_first) {
  Places places[kLanes];
  for (const PseudoChannel& pc : pcs_) places[pc.index].count = pc.queues[0].room();
  places[lane.pc->index] = {lane.queue->room() - rounds, 0, 0, rounds, first + 1};
  if (other != nullptr) {
    places[other->pc->index] = {other->queue->room() - rounds, 0, 0, rounds, other_first + 1};
  }
  Incoming& in = incoming_;
  Tick now = 0;
  do {
    if (in.left == 0) next_run(now);
    Entrance& here = in.here();
    if (here.pc == nullptr) find_entrance(here, in.piece->next_burst);
    if (here.visit != nullptr) continue;
    Places& free = places[here.pc->index];
    if (!free.find(tBURST_)) return;
    now = std::max(now, free.next);
    while (next_row() < now) row_phase(next_row());
    begin_visit(here.pc->queues[0], now);
  } while (enter_runs(places, now));
}

void FastChannel::next_run(Tick now) {
  Incoming& in = incoming_;
  if (in.piece->next_burst == in.piece->end_burst) {
    intake_.admit_head(now);
    in.piece = nullptr;
  }
  open_run(now);
}

// Runs of a cycle, as far as their visits have begun; false when no place is left.
inline bool FastChannel::enter_runs(Places* places, Tick& now) {
  Incoming& in = incoming_;
  const std::int64_t begin = in.piece->next_burst;
  const std::int64_t end = std::min(in.cycle_end, in.piece->end_burst);
  std::int64_t burst = begin;
  int run = in.run;
  int left = in.left;
  Tick ticks = 0;
  bool places_left = true;
  Tick at = now;
  while (in.entrance[run].visit != nullptr) {
    const Entrance& here = in.entrance[run];
    Places& free = places[here.pc->index];
    places_left = free.find(tBURST_);
    if (!places_left) break;
    const int bursts = std::min(left, free.count);
    ticks += here.pc->queues[0].enter(*here.visit, bursts, at, free.next, free.spacing);
    free.count -= bursts;
    burst += bursts;
    left -= bursts;
    if (left > 0) continue;
    if (burst == end) break;
    run = (run + 1) & (cycle_runs_ - 1);
    left = static_cast<int>(std::min<std::int64_t>(run_bursts_, end - burst));
  }
  now = at;
  ledger_.entered(static_cast<int>(burst - begin), ticks);
  in.piece->next_burst = burst;
  in.run = run;
  in.left = left;
  return places_left;
}

void FastChannel::trace_rounds(const Lane& lane, const Lane* other, int rounds) {
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

// At most `most` bursts, from the next one on, of this request and the next, whose row is open only
// if their visit has begun; they end before the last one of a cycle, or of a request that none
// follows. `begins`: another visit begins with them.
int FastChannel::quiet_bursts(int most, Tick now, bool& begins) {
  Incoming& in = incoming_;
  const std::int64_t next = in.piece->next_burst;
  const auto end = static_cast<int>(std::min(in.cycle_end, in.piece->end_burst) - next);
  const int here = std::min(most, end - 1);
  int run = in.run;
  for (int bursts = 0; bursts < std::min(most, end) && in.begun < cycle_runs_;) {
    Entrance& at = in.entrance[run];
    if (at.visit == nullptr) {
      if (at.pc == nullptr) find_entrance(at, next + bursts);
      if (use(at.bank).open_row == in.row) return bursts;
      begins = true;
    }
    bursts += run == in.run ? in.left : run_bursts_;
    run = (run + 1) & (cycle_runs_ - 1);
    if (run == in.run) break;
  }
  const PieceState* const second = intake_.second(now);
  if (here == most || in.piece->end_burst > in.cycle_end || second == nullptr ||
      second->request.is_write) {
    return here;
  }
  begins = true;
  return end + quiet_bursts_of(*second, most - end);
}

// Of the first cycle of a request, as above.
int FastChannel::quiet_bursts_of(const PieceState& piece, int most) const {
  const std::int64_t first = piece.next_burst;
  const std::int64_t end = std::min((first | (cycle_bursts_ - 1)) + 1, piece.end_burst) - 1;
  most = static_cast<int>(std::min<std::int64_t>(most, end - first));
  int runs = 0;
  for (std::int64_t burst = first; burst < first + most && runs < cycle_runs_; ++runs) {
    const DramAddress at = map_.decode(burst);
    if (use(at.bank).open_row == at.row) return static_cast<int>(burst - first);
    burst = (burst | (run_bursts_ - 1)) + 1;
  }
  return most;
}

}  // namespace ridgepoint::dram
