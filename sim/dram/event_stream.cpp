// SPDX-License-Identifier: Apache-2.0
// The short way of the event-driven controller for stretches of reads. FR-FCFS then serves, in each
// pseudo-channel, the two oldest requests of different bank groups in turn, until one of them has
// no more bursts, an older request's row opens, or time brings something else: those few cases end
// the stretch or start another one. Within it a column command costs a comparison and a few
// additions; rule registers and statistics learn of it afterwards, once for the whole stretch.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {
namespace {

constexpr Tick kWorthwhile = 8;  // bursts of a pseudo-channel in a stretch
constexpr int kLongestPause = 256;
constexpr int kMostRounds = 16;
constexpr int kPatience = 4;  // turns before rounds are tried again
constexpr std::uint64_t kNobody = ~std::uint64_t{0};

}  // namespace

// A bank that has requests to its open row.
struct EventChannel::Server {
  int bank = -1;  // flat; -1: none
  BankQueues::Visit* visit = nullptr;
  std::uint64_t order = kNobody;
  Tick ready = core::kNever;  // by the rules of its bank, group and stack id
  Tick group_ready = 0;       // nobody in its group is ready before
  Tick last = -1;             // its latest column command that no register knows of
  std::int32_t bursts = 0;    // that no statistic knows of
  bool first_of_row = false;
};

// One pseudo-channel: the oldest request to an open row (0), the oldest in another bank group (1),
// and their rivals: how old the oldest of all others is, who must stay younger than whom is served,
// and when the first of them might be ready; for those in the group of server 0, in that of
// server 1, and elsewhere.
struct EventChannel::Lane {
  PseudoChannel* pc = nullptr;
  BankQueues* queue = nullptr;
  Server server[2];
  Tick apart = 0;  // the other server's spacing
  std::uint64_t rival[3]{kNobody, kNobody, kNobody};
  Tick rival_ready[3]{core::kNever, core::kNever, core::kNever};
  std::uint32_t changes = 0;        // of the queue, that the lane knows of
  std::uint64_t known = 0;          // its hits() then
  Tick gate = 0;                    // by the rules of the pseudo-channel and the channel
  Tick slot_end = 0;                // of the data bus
  Tick next = core::kNever;         // the next column command
  Tick wake = core::kNever;         // another bank may have one from then on
  std::uint64_t order = 0;
  int chosen = -1;  // its server; -1: another request might be served then
  Ledger::Stretch stretch;
};

// ---- One burst

inline void EventChannel::burst_left(Lane& lane, Server& server, Tick now) {
  if (server.visit->queued() > 1) {
    lane.queue->leave(*server.visit);
    server.order = server.visit->oldest().order;
  } else {
    server_left(lane, server, now);
  }
}

// A burst has left: the blocked one enters at `now`, unless that is not to be simulated yet.
// False when more than the length of a run may have changed.
inline bool EventChannel::make_room(const Lane& lane, Tick now, Tick to) {
  if (incoming_.left == 0 || incoming_.pc != lane.pc) return true;
  if (now >= to) {
    start_at_ = now;
    return false;
  }
  BankQueues::Visit* visit = incoming_.visit;
  if (incoming_.left > 1 && visit != nullptr && lane.pc->queues[1].empty()) {
    lane.queue->enter(*visit, {incoming_.piece->next_burst++, entered_++, now});
    ledger_.entered(1, now);
    --incoming_.left;
    return true;
  }
  feed(now);
  return false;
}

// Whether the configuration admits the short way: nothing but the age of requests to open rows
// decides about column commands, and nothing but demand about row commands.
bool EventChannel::may_stream() const {
  return spec_->config.controller == ControllerKind::kFast && !fancy_ && !optional_rows_ &&
         spec_->config.row_policy == RowPolicy::kOpen && !spec_->standard->shared_command_bus &&
         pcs_.size() <= kLanes;
}

bool EventChannel::about_to_drain(const PseudoChannel& pc) {
  return pc.queues[0].empty() && !pc.queues[1].empty();
}

bool EventChannel::can_stream() const {
  if (incoming_.left > 0 && incoming_.write) return false;
  bool any = false;
  for (const PseudoChannel& pc : pcs_) {
    if (pc.draining || pc.held != 0) return false;
    if (about_to_drain(pc)) return false;
    any = any || pc.queues[0].hits() != 0;
  }
  return any;
}

// Goes on from `from` until `to` or the tick at which something else than reads, row commands for
// them and arriving reads is to be done; returns that tick.
Tick EventChannel::stream(Tick from, Tick to) {
  Lane lanes[kLanes];
  const std::size_t count = pcs_.size();
  for (std::size_t i = 0; i < count; ++i) {
    lanes[i].pc = &pcs_[i];
    lanes[i].queue = &pcs_[i].queues[0];
    lanes[i].gate = timers_.wide(Command::kRd, pcs_[i].first_bank);
    lanes[i].slot_end = ledger_.slot_end(pcs_[i].index);
    prepare(lanes[i], from);
    plan(lanes[i], from);
  }
  reads_only_ = true;
  Tick now = from;
  const Tick bus = lanes[0].slot_end;
  while (stream_event(lanes, now, to)) {
  }
  const bool worth_it = lanes[0].slot_end >= bus + kWorthwhile * tBURST_ || now >= to;
  next_pause_ = worth_it ? 1 : std::min(2 * next_pause_, kLongestPause);
  pause_ = worth_it ? 0 : next_pause_;
  reads_only_ = false;
  for (std::size_t i = 0; i < count; ++i) {
    flush(lanes[i]);
    lanes[i].pc->column_at = lanes[i].next;
  }
  return now;
}

// The next thing that happens; false when it is not for here, with `now` its tick.
bool EventChannel::stream_event(Lane* lanes, Tick& now, Tick to) {
  const std::size_t count = pcs_.size();
  Lane* lane = &lanes[0];
  Lane* other = count > 1 ? &lanes[1] : nullptr;
  if (other != nullptr && (other->next < lane->next ||
                           (other->next == lane->next && other->order < lane->order))) {
    std::swap(lane, other);
  }
  const Tick event = next_look();
  now = std::min(event, lane->next);
  if (now >= to) return false;
  if (event <= lane->next) {
    if (start_at_ <= now && !stream_start(now)) return false;
    row_phase(now);
    renew(*lane, now);
    if (other != nullptr) renew(*other, now);
    return true;
  }
  if (lane->chosen < 0) {
    if (lane->next != lane->wake) flush(*lane);
    prepare(*lane, now);
    plan(*lane, now);
    return lane->chosen >= 0;
  }
  if (take_turns(*lane, other, to)) return true;
  issue(*lane);
  make_room(*lane, now + 1, to);
  if (!renew(*lane, now + 1)) plan(*lane, now + 1);
  if (other != nullptr) give_way(*other, now);
  return true;
}

// A column command of the other lane came at `now`.
void EventChannel::give_way(Lane& lane, Tick now) {
  lane.gate = std::max(lane.gate, now + spacing_.channel);
  if (!renew(lane, now + 1) && lane.next < lane.gate) plan(lane, now + 1);
}

// What comes next apart from column commands.
Tick EventChannel::next_look() const {
  Tick next = start_at_;
  for (const PseudoChannel& pc : pcs_) next = std::min(next, pc.row_at);
  return next;
}

// Arrivals; false for a refresh, a write, or writes to drain.
bool EventChannel::stream_start(Tick now) {
  for (const PseudoChannel& pc : pcs_) {
    if (pc.refresh.next_due() <= now || about_to_drain(pc)) return false;
  }
  start_at_ = core::kNever;
  feed(now);
  if (start_at_ <= now) return false;
  for (const PseudoChannel& pc : pcs_) start_at_ = std::min(start_at_, pc.refresh.next_due());
  return true;
}

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
  for (std::uint64_t left = hits & ~lane.known; left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    const Tick ready = timers_.narrow(Command::kRd, lane.pc->first_bank + bank);
    if (ready <= soon) return false;
    lane.wake = std::min(lane.wake, ready);
  }
  lane.known = hits;
  lane.changes = lane.queue->changes();
  return true;
}

// ---- Who is served

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
  lane.wake = core::kNever;
  Tick soon = std::max(lane.gate, from) + 2 * tBURST_;
  std::uint64_t ready = ready_banks(lane, soon);
  if (ready == 0 && lane.wake != core::kNever) {
    soon = std::exchange(lane.wake, core::kNever) + 2 * tBURST_;
    ready = ready_banks(lane, soon);
  }
  const int first = oldest_of(lane, ready, -1);
  const int second = first < 0 ? -1 : oldest_of(lane, ready, first >> group_shift_);
  const int base = lane.pc->first_bank;
  appoint(lane, first < 0 ? -1 : base + first, second < 0 ? -1 : base + second);
  for (int i = 0; i < 3; ++i) lane.rival[i] = kNobody, lane.rival_ready[i] = core::kNever;
  for (; ready != 0; ready &= ready - 1) {
    const int bank = std::countr_zero(ready);
    if (bank != first && bank != second) add_rival(lane, bank);
  }
}

// Banks with requests to their open rows that are ready at `soon`; the others lower `wake`.
std::uint64_t EventChannel::ready_banks(Lane& lane, Tick soon) const {
  std::uint64_t result = 0;
  for (std::uint64_t left = lane.queue->hits(); left != 0; left &= left - 1) {
    const int bank = lane.pc->first_bank + std::countr_zero(left);
    const Tick ready = bank == lane.server[0].bank   ? lane.server[0].ready
                       : bank == lane.server[1].bank ? lane.server[1].ready
                                                     : timers_.narrow(Command::kRd, bank);
    if (ready <= soon) {
      result |= left & -left;
    } else {
      lane.wake = std::min(lane.wake, ready);
    }
  }
  return result;
}

// The bank of `banks` with the oldest request, outside bank group `not_in`; -1: none.
int EventChannel::oldest_of(const Lane& lane, std::uint64_t banks, int not_in) const {
  int result = -1;
  std::uint64_t age = kNobody;
  for (; banks != 0; banks &= banks - 1) {
    const int bank = std::countr_zero(banks);
    if (bank >> group_shift_ == not_in) continue;
    const std::uint64_t order = lane.queue->hit(bank).oldest().order;
    if (order < age) age = order, result = bank;
  }
  return result;
}

void EventChannel::add_rival(Lane& lane, int local) const {
  const int bank = lane.pc->first_bank + local;
  const int group = bank >> group_shift_;
  const int where = group == lane.server[0].bank >> group_shift_   ? 0
                    : group == lane.server[1].bank >> group_shift_ ? 1
                                                                   : 2;
  lane.rival[where] = std::min(lane.rival[where], lane.queue->hit(local).oldest().order);
  lane.rival_ready[where] =
      std::min(lane.rival_ready[where], timers_.narrow(Command::kRd, bank));
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
        server.ready = timers_.narrow(Command::kRd, bank[i]);
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
  server.order = server.visit->oldest().order;
  server.first_of_row = ledger_.first_of_row(server.bank);
}

// The next column command: at the first tick from `from` on that the buses allow, by the older of
// the servers that are ready then, provided that nobody else may be older or readier.
void EventChannel::plan(Lane& lane, Tick from) const {
  lane.order = 0;  // somebody not known goes first
  lane.chosen = -1;
  const auto& [first, second] = lane.server;
  if (first.bank < 0) {
    lane.next = lane.wake;
    return;
  }
  lane.next = spec_->align_up(Command::kRd, std::max(lane.gate, from));
  const Tick ready = std::min(first.ready, second.ready);
  if (ready > lane.next) {
    const Tick rivals = std::min({std::max(lane.rival_ready[0], first.group_ready),
                                  std::max(lane.rival_ready[1], second.group_ready),
                                  lane.rival_ready[2]});
    if (rivals <= lane.next) return;  // not known who
    lane.next = spec_->align_up(Command::kRd, std::min(ready, rivals));
  }
  std::uint64_t oldest = lane.rival[2];
  if (first.group_ready <= lane.next) oldest = std::min(oldest, lane.rival[0]);
  if (second.group_ready <= lane.next) oldest = std::min(oldest, lane.rival[1]);
  if (first.ready <= lane.next && first.order < oldest) oldest = first.order, lane.chosen = 0;
  if (second.ready <= lane.next && second.order < oldest) oldest = second.order, lane.chosen = 1;
  if (lane.next >= lane.wake) {
    lane.next = lane.wake;
    lane.chosen = -1;
  } else if (lane.chosen >= 0) {
    lane.order = oldest;
  }
}

// ---- Column commands

inline void EventChannel::trace_read(const Server& server, Tick now) const {
  if (!ledger_.observer()) return;
  const BankQueues::Visit& visit = *server.visit;
  ledger_.trace(Command::kRd, {server.bank, visit.row, map_.column(visit.oldest().number)}, now);
}

// One burst of the chosen server, whatever is special about it.
void EventChannel::issue(Lane& lane) {
  Server& server = lane.server[lane.chosen];
  Server& other = lane.server[1 - lane.chosen];
  const Tick now = lane.next;
  const BankQueues::Visit& visit = *server.visit;
  if (now == lane.slot_end && visit.whole) {
    if (server.first_of_row) {
      ledger_.count_first(server.bank);
      ++lane.stretch.firsts;
    }
    ++lane.stretch.bursts[static_cast<std::size_t>(visit.traffic)];
    lane.stretch.ticks += now;
    lane.stretch.last = now;
    ++server.bursts;
    trace_read(server, now);
  } else {
    flush(lane);
    const BankQueues::Burst& burst = visit.oldest();
    ledger_.column_command(Command::kRd, {server.bank, visit.row, map_.column(burst.number)},
                           burst.entered, now, visit.traffic, useful_bytes(visit));
  }
  server.first_of_row = false;
  server.last = now;
  lane.slot_end = now + tBURST_;
  lane.gate = now + spacing_.pseudo_channel;
  server.ready = std::max(server.ready, now + spacing_.self);
  server.group_ready = std::max(server.group_ready, now + spacing_.group);
  other.ready = std::max(other.ready, now + lane.apart);
  burst_left(lane, server, now);
}

// The last queued burst of the server's visit leaves.
void EventChannel::server_left(Lane& lane, Server& server, Tick now) {
  PseudoChannel& pc = *lane.pc;
  const int bank = server.bank & bank_mask_;
  visit_left(pc, false, server.bank, now + data_end_[0]);
  if ((lane.queue->hits() >> bank & 1) != 0) {
    look_up(lane, server);
    return;
  }
  settle(server);
  server.visit = nullptr;
  if (lane.queue->empty()) {
    flush(lane);
    if (about_to_drain(pc)) {
      start_at_ = now + 1;
    } else {
      ledger_.queue_became(true, pc.index, now);
    }
  }
  // Without hits the bank may need a row command.
  if ((lane.queue->queued() >> bank & 1) != 0) {
    pc.row_at = std::min(pc.row_at, when(Command::kPre, server.bank, now + 1));
  }
}

// ---- Turns

// Whether the lane's servers take turns without a gap until something changes: each is held back
// by its bank group for longer than one slot of the data bus, and no longer than two.
bool EventChannel::alternates(const Lane& lane) const {
  if (lane.chosen < 0 || lane.server[1].bank < 0 || lane.next != lane.slot_end) return false;
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
  Tick limit = std::min({horizon, lane.wake, both ? other->wake : horizon});
  Lane* turn = &lane;
  Tick look = next_look();
  int patience = 0;
  for (;;) {
    const Tick soonest = std::min(look, limit);
    if (turn->next >= soonest) {
      if (soonest >= horizon || start_at_ <= soonest) break;
      if (look <= limit) row_phase(look);
      if (!goes_on(lane) || (other != nullptr && !goes_on(*other, both))) break;
      if (!awakens(lane, turn->next) || (both && !awakens(*other, turn->next))) break;
      look = next_look();
      limit = std::min({horizon, lane.wake, both ? other->wake : horizon});
      continue;
    }
    if (--patience < 0) {
      if (const int rounds = rounds_ahead(*turn, waiting, soonest); rounds > 1) {
        take_rounds(*turn, waiting, rounds);
        continue;
      }
      patience = kPatience;
    }
    if (!take_turn(*turn)) break;
    const bool more = make_room(*turn, turn->next - tBURST_ + 1, to);
    if (!more || turn->changes != turn->queue->changes()) {
      if (!goes_on(lane) || (other != nullptr && !goes_on(*other, both))) break;
      look = next_look();
      limit = std::min({horizon, lane.wake, both ? other->wake : horizon});
    }
    if (both) std::swap(turn, waiting);
  }
  if (lane.next == start) return false;
  turns_taken(lane);
  if (both) {
    turns_taken(*other);
  } else if (other != nullptr) {
    give_way(*other, lane.next - tBURST_);
  }
  return true;
}

// Whether the lane takes its next turn as if nothing had changed.
bool EventChannel::goes_on(Lane& lane, bool takes_turns) {
  if (lane.changes == lane.queue->changes()) return true;
  if (!takes_turns) return false;
  if (add_rivals(lane, lane.next)) return true;
  const Tick next = lane.next;
  turns_taken(lane);
  return lane.next == next && alternates(lane);
}

// When another bank becomes ready at or before `now`: whether the servers are still the same.
bool EventChannel::awakens(Lane& lane, Tick now) {
  if (lane.wake > now) return true;
  const int turn = lane.server[lane.chosen].bank;
  const int other = lane.server[1 - lane.chosen].bank;
  prepare(lane, now);
  lane.chosen = lane.server[0].bank == turn ? 0 : 1;
  return lane.server[lane.chosen].bank == turn && lane.server[1 - lane.chosen].bank == other;
}

// Whom the server must be older than in its turn, when the other's group has just been used.
std::uint64_t EventChannel::turn_limit(const Lane& lane, int server) {
  return std::min(lane.rival[server], lane.rival[2]);
}

// One burst of the lane's chosen server; false when there is something special about it.
inline bool EventChannel::take_turn(Lane& lane) {
  Server& server = lane.server[lane.chosen];
  if (server.order >= turn_limit(lane, lane.chosen) || !server.visit->whole) return false;
  if (server.first_of_row) {
    ledger_.count_first(server.bank);
    ++lane.stretch.firsts;
    server.first_of_row = false;
  }
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

// How many bursts of each lane follow in turn without anything else happening than blocked bursts
// entering visits that have begun.
int EventChannel::rounds_ahead(const Lane& lane, const Lane* other, Tick limit) {
  const Tick start = other != nullptr ? other->next : lane.next;
  if (start + tBURST_ >= limit) return 0;
  int rounds = rounds_of(lane, kMostRounds);
  if (other != nullptr) rounds = rounds_of(*other, rounds);
  if (rounds < 2) return 0;
  if (incoming_.left > 0 && (other != nullptr || incoming_.pc == lane.pc)) {
    rounds = std::min(rounds, quiet_rounds(other != nullptr ? 2 : 1));
  }
  while (rounds > 0 && start + (rounds - 1) * tBURST_ >= limit) --rounds;
  return rounds;
}

// So many that less enters than is known to be of that kind.
int EventChannel::quiet_rounds(int lanes) {
  if (incoming_.visit == nullptr) return 0;
  int room = 0;
  for (const PseudoChannel& pc : pcs_) {
    if (!pc.queues[1].empty()) return 0;
    room += pc.queues[0].room();
  }
  if (incoming_.left + ahead_.bursts - room <= lanes * kMostRounds) look_ahead();
  return std::max(0, incoming_.left + ahead_.bursts - 1 - room) / lanes;
}

// At most `rounds`, as far as the lane's servers are both plain and the oldest.
int EventChannel::rounds_of(const Lane& lane, int rounds) {
  const Server& first = lane.server[lane.chosen];
  const Server& second = lane.server[1 - lane.chosen];
  if (first.first_of_row || second.first_of_row) return 0;
  if (!first.visit->whole || !second.visit->whole) return 0;
  rounds = std::min({rounds, 2 * (first.visit->queued() - 1), 2 * second.visit->queued() - 1});
  for (; rounds > 1; rounds /= 2) {
    const auto youngest = [](const Server& server, int bursts) {
      return server.visit->burst[server.visit->left + bursts - 1].order;
    };
    if (youngest(first, (rounds + 1) / 2) < turn_limit(lane, lane.chosen) &&
        youngest(second, rounds / 2) < turn_limit(lane, 1 - lane.chosen)) {
      return rounds;
    }
  }
  return 0;
}

void EventChannel::take_rounds(Lane& lane, Lane* other, int rounds) {
  if (ledger_.observer()) trace_rounds(lane, other, rounds);
  const Tick first = lane.next;
  const Tick other_first = other != nullptr ? other->next : 0;
  take_rounds(lane, rounds);
  if (other != nullptr) take_rounds(*other, rounds);
  if (incoming_.left > 0 && (other != nullptr || incoming_.pc == lane.pc)) {
    fill_up(lane, first, rounds, other, other_first);
  }
}

void EventChannel::take_rounds(Lane& lane, int rounds) {
  const Tick last = (rounds - 1) * tBURST_;
  lane.stretch.ticks += rounds * lane.next + rounds * last / 2;
  for (int i = 0; i < 2; ++i) {
    Server& server = lane.server[i == 0 ? lane.chosen : 1 - lane.chosen];
    const int bursts = (rounds + 1 - i) / 2;
    lane.queue->leave(*server.visit, bursts);
    server.order = server.visit->oldest().order;
    server.bursts += bursts;
    server.last = lane.next + (2 * (bursts - 1) + i) * tBURST_;
    lane.stretch.bursts[static_cast<std::size_t>(server.visit->traffic)] += bursts;
  }
  lane.chosen ^= rounds & 1;
  lane.next += rounds * tBURST_;
}

// Bursts enter in their order, each at the tick after the column command that made room for it.
void EventChannel::fill_up(const Lane& lane, Tick first, int rounds, const Lane* other,
                           Tick other_first) {
  struct Room {
    int at_hand = 0;  // places that were free before these commands
    int places = 0;   // that they free
    Tick next = 0;    // the tick of the next one
  };
  Room room[kLanes];
  for (const PseudoChannel& pc : pcs_) room[pc.index].at_hand = pc.queues[0].room();
  room[lane.pc->index] = {lane.queue->room() - rounds, rounds, first + 1};
  if (other != nullptr) {
    room[other->pc->index] = {other->queue->room() - rounds, rounds, other_first + 1};
  }
  Incoming& in = incoming_;
  Tick now = 0;
  Tick ticks = 0;
  int entered = 0;
  for (Room* here = &room[in.pc->index];; here = &room[in.pc->index]) {
    for (; in.left > 0; --in.left) {
      if (here->at_hand > 0) {
        --here->at_hand;
      } else if (here->places > 0) {
        now = std::max(now, here->next);
        here->next += tBURST_;
        --here->places;
      } else {
        ledger_.entered(entered, ticks);
        return;
      }
      in.pc->queues[0].enter(*in.visit, {in.piece->next_burst++, entered_++, now});
      ticks += now;
      ++entered;
    }
    open_run(now);
  }
}

void EventChannel::trace_rounds(const Lane& lane, const Lane* other, int rounds) const {
  for (int round = 0; round < rounds; ++round) {
    for (const Lane* each : {&lane, other}) {
      if (each == nullptr) continue;
      const Server& server = each->server[each->chosen ^ (round & 1)];
      const BankQueues::Burst& burst = server.visit->burst[server.visit->left + round / 2];
      ledger_.trace(Command::kRd, {server.bank, server.visit->row, map_.column(burst.number)},
                    each->next + round * tBURST_);
    }
  }
}

void EventChannel::turns_taken(Lane& lane) {
  const Tick last = lane.next - tBURST_;
  lane.stretch.last = lane.slot_end == lane.next ? lane.stretch.last : last;
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
  if (!renew(lane, lane.next)) plan(lane, lane.next);
}

// ---- Telling registers and statistics what they do not know of

void EventChannel::settle(Server& server) {
  if (server.last < 0) return;
  timers_.issue(Command::kRd, server.bank, server.last);
  if (siblings_) timers_.issue_siblings(Command::kRd, server.bank, server.last);
  use(server.bank).last_use = server.last;
  ledger_.bank_columns(server.bank, server.bursts, server.last);
  server.last = -1;
  server.bursts = 0;
}

void EventChannel::flush(Lane& lane) {
  for (Server& server : lane.server) settle(server);
  ledger_.columns(lane.pc->index, lane.stretch);
  lane.stretch = {};
}

}  // namespace ridgepoint::dram
