// SPDX-License-Identifier: Apache-2.0
// What the event-driven controller keeps of pseudo-channels, banks and the bursts on their way in.
#pragma once

#include <algorithm>

#include "sim/dram/bank_queues.hpp"
#include "sim/dram/device.hpp"
#include "sim/dram/intake.hpp"
#include "sim/dram/refresh.hpp"

namespace ridgepoint::dram::event {

// The next ACT or PRE of a pseudo-channel that a request asks for: none comes before `tick`, and
// then this one, the oldest, unless another command holds it back. Without a bank it is not known
// which: a look is due.
struct Plan {
  Tick tick = core::kNever;
  int bank = -1;  // flat
  std::uint64_t order = 0;

  void look(Tick at) {
    if (at <= tick) *this = {at};
  }
  // Another command has become possible.
  void add(const Plan& other) {
    const bool first =
        other.tick < tick || (other.tick == tick && bank >= 0 && other.order < order);
    if (first) *this = other;
  }
};

struct PseudoChannel {
  int index;
  int first_bank;
  BankQueues queues[2];  // reads, writes
  RefreshCounter refresh;
  bool draining = false;
  bool due = false;         // idle_at has come; valid within row_phase
  std::uint64_t open = 0;   // banks
  std::uint64_t held = 0;   // banks that wait for an urgent refresh
  std::uint64_t spent = 0;  // banks whose row has served as many bursts as the hit cap
  Plan act{}, pre{};        // that a request asks for
  Tick idle_at = 0;         // when a row command without demand may come: a refresh or a time-out
  Tick column_at = core::kNever;
  BankQueues& active() { return queues[draining]; }
  Tick row_at() const { return std::min(std::min(act.tick, pre.tick), idle_at); }
  Plan& row(Command command) { return command == Command::kAct ? act : pre; }
  // Another row command has come. While banks are held, what may come next is looked for each time.
  void no_row_before(Tick at) {
    if (act.tick < at || held != 0) act = {at};
    if (pre.tick < at || held != 0) pre = {at};
  }
  void look_for_rows(Tick at) {
    act.look(at);
    pre.look(at);
  }
};

struct BankUse {
  std::int64_t open_row = kClosed;
  int served = 0;
  Tick last_use = 0;
};

// The bursts that enter next: neighbours of one request in one row, of which some may be in.
struct Incoming {
  PieceState* piece = nullptr;
  PseudoChannel* pc = nullptr;
  BankQueues::Visit* visit = nullptr;  // that the next one joins, if it has begun
  int piece_index = 0;
  int bank = 0;  // flat
  int left = 0;  // bursts that have yet to enter
  bool write = false;
  std::int64_t row = 0;
};

// Runs of the same request that come after the incoming one and go on visits that have begun:
// what enters meanwhile needs no row command and no look.
struct Coming {
  std::int64_t first_burst;
  std::int64_t row;
  PseudoChannel* pc;
  BankQueues::Visit* visit;
  int bank;
  int bursts;
};

struct Ahead {
  static constexpr int kRuns = 16;
  Coming run[kRuns];
  int first = 0;
  int count = 0;
  int bursts = 0;        // in all of them
  bool closed = false;   // what follows is of another kind
  std::int64_t end = 0;  // of what has been looked at
  Coming& at(int i) { return run[(first + i) % kRuns]; }
};

struct Candidate {  // for a column command
  int bank = -1;    // flat
  std::uint64_t order = ~std::uint64_t{0};
};

struct ReadSpacing {  // RD to RD, in ticks
  Tick self, group, stack_id, other_stack_id, pseudo_channel, channel;
};

// Requests to scattered rows give no stretches; then the short way is tried more and more seldom.
struct Trial {
  int pause = 0;        // ticks looked at without trying
  int next_pause = 1;   // after the next stretch that is not worth it
  int bursts = 0;       // served in this stretch
  int visits_left = 0;  // and visits that ended with it
};

}  // namespace ridgepoint::dram::event
