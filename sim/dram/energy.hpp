// SPDX-License-Identifier: Apache-2.0
// What a memory's commands cost in energy: a pure function of its counts and its time. The energies
// of a standard are named numbers with sources in its file, as its timings are; many are estimates
// and say so.
//
//   eACT      nJ      an ACT and its PRE: one row of one pseudo-channel (all devices of a rank)
//   eRD, eWR  pJ/bit  column access and moving the data across the die, without its pins
//   eIO       pJ/bit  the data pins of memory and controller
//   eREF      nJ      refreshing one row; REFab, REFpb and REFsb refresh many (rows_per_refresh)
//   pSTANDBY  mW      of a channel, whether it works or not
#pragma once

#include "sim/dram/spec.hpp"
#include "sim/dram/stats.hpp"

namespace ridgepoint::dram {

struct Energy {  // all in pJ
  double act = 0;
  double read = 0;
  double write = 0;
  double io = 0;
  double refresh = 0;
  double background = 0;
  double total() const { return act + read + write + io + refresh + background; }
};

// `stats` of one channel or added up over several. Reads answered from the write queue cost nothing
// at the pins.
Energy energy_of(const Spec& spec, const ChannelStats& stats);

// Rows of each addressed bank that one refresh command renews, on average: every row is renewed
// once in 32 ms at the standard's own rate (shorter intervals refresh more often, not less at
// once).
double rows_per_refresh(const Spec& spec, Command command);

}  // namespace ridgepoint::dram
