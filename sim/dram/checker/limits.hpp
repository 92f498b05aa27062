// SPDX-License-Identifier: Apache-2.0
// What the checker is told about a channel: its organisation and its named timings, as numbers.
// Which command each number holds back is knowledge of the checker alone; nothing here comes from
// the controller's rule table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/core/time.hpp"

namespace ridgepoint::dram {
struct Spec;
}

namespace ridgepoint::dram::checker {

using Tick = core::Cycle;

// Times are in ticks, sizes are counts; a timing of 0 is a rule that the standard does not have.
// Names without a comment are JEDEC's.
struct Limits {
  // Organisation of one channel.
  std::int64_t pseudo_channels = 1;
  std::int64_t stack_ids = 1;  // of a pseudo-channel; or ranks
  std::int64_t bank_groups = 1;
  std::int64_t banks = 1;  // of a bank group
  std::int64_t rows = 1;
  std::int64_t columns = 1;  // bursts of a row

  Tick tCL = 0, tCWL = 0, tBURST = 0;  // tBURST: one burst on the data bus
  Tick tCCD_S = 0, tCCD_L = 0, tCCD_R = 0;
  Tick tCCD_L_WR = 0;  // between writes, where it differs from tCCD_L
  Tick tRTW = 0, tWTR_S = 0, tWTR_L = 0;
  Tick tRCDRD = 0, tRCDWR = 0, tRAS = 0, tRC = 0;
  Tick tRRD_S = 0, tRRD_L = 0, tFAW = 0;
  Tick tRP = 0, tRTP = 0, tWR = 0, tPPD = 0;
  Tick tRPab = 0;  // after PREab, where it differs from tRP
  Tick tREFI = 0, tRFC = 0, tRFCpb = 0, tRREFD = 0;
  Tick tREFI2 = 0, tRFCsb = 0, tREFSBRD = 0;  // same-bank refresh

  // Command buses: how long a command occupies one, and the grid on which it may start.
  Tick act_bus = 1, row_bus = 1, column_bus = 1;  // row_bus: all kinds of PRE and REF
  Tick act_grid = 1, row_grid = 1, column_grid = 1;
  std::int64_t shared_bus = 0;  // 1: row and column commands share one bus

  // Refresh rate of a stack id. 0: not checked; 1: a REFab per tREFI; 2: a REFpb to each bank per
  // tREFI; 3: a REFsb to each bank of a group per tREFI2.
  std::int64_t refresh = 0;
  std::int64_t postponed = 8;  // refreshes that may be owed beyond the one that is due
};

struct LimitName {
  std::string_view name;
  std::int64_t Limits::*value;
};
// Every member by its name, in the order above: the header of a trace file.
std::span<const LimitName> limit_names();

// The numbers of a machine's memory: geometry, Spec::timings, widths of commands, refresh mode.
Limits limits_of(const Spec& spec);

// Throws InputError naming the first number that makes no sense.
void validate(const Limits& limits);

}  // namespace ridgepoint::dram::checker
