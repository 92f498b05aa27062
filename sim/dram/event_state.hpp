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
  Tick others_at = 0;  // after a column command, see find_column()
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

// Where a run of neighbouring bursts goes.
struct Entrance {
  PseudoChannel* pc = nullptr;         // not looked up yet if nullptr
  BankQueues::Visit* visit = nullptr;  // that the next burst joins, if it has begun
  int bank = 0;                        // flat
};

// The bursts that enter next: a run of neighbours of the request at the head. Runs take the
// entrances in turn until the cycle ends (see AddressMap); then others are looked up.
struct Incoming {
  static constexpr int kMostRuns = 16;
  PieceState* piece = nullptr;  // nullptr: none of the next request's bursts has been looked at
  int piece_index = 0;
  int left = 0;  // bursts of the run that have yet to enter
  int run = 0;   // its entrance
  bool write = false;
  std::int64_t row = 0;
  std::int64_t cycle_end = 0;  // first burst that is not of this cycle
  std::uint64_t age = 0;       // of the request's bursts, with their number in the channel added
  int begun = 0;               // entrances with a visit
  Entrance entrance[kMostRuns];

  Entrance& here() { return entrance[run]; }
  const Entrance& here() const { return entrance[run]; }
  void forget(Entrance& at) {
    begun -= at.visit != nullptr ? 1 : 0;
    at.visit = nullptr;
  }
};

struct Candidate {  // for a column command
  int bank = -1;    // flat
  std::uint64_t order = ~std::uint64_t{0};
};

}  // namespace ridgepoint::dram::event
