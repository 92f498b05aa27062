// SPDX-License-Identifier: Apache-2.0
// What the event-driven controller keeps of pseudo-channels, banks and the bursts on their way in.
#pragma once

#include "sim/dram/bank_queues.hpp"
#include "sim/dram/device.hpp"
#include "sim/dram/intake.hpp"
#include "sim/dram/refresh.hpp"

namespace ridgepoint::dram::event {

struct PseudoChannel {
  int index;
  int first_bank;
  BankQueues queues[2];  // reads, writes
  bool draining = false;
  std::uint64_t open = 0;  // banks
  std::uint64_t held = 0;  // banks that wait for an urgent refresh
  RefreshCounter refresh;
  Tick row_at = 0;
  Tick column_at = core::kNever;
  bool row_due = false;  // row_at has come; valid within row_phase
  BankQueues& active() { return queues[draining]; }
};

struct BankUse {
  std::int64_t open_row = kClosed;
  int served = 0;
  Tick last_use = 0;
  Tick row_ready = 0;  // its next row command, ACT or PRE by its state, does not come before
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

struct Candidate {
  Command command = Command::kAct;
  int bank = -1;  // flat
  std::int64_t row = -1;
  std::uint64_t order = ~std::uint64_t{0};
};

}  // namespace ridgepoint::dram::event
