// SPDX-License-Identifier: Apache-2.0
// DDR5 (JESD79-5): two 32-bit sub-channels per module, BL16; a sub-channel is a channel here, a
// rank a stack id. Row and column commands share one bus; two-cycle commands. Same-bank refresh
// comes at the rate of fine granularity (tREFI2), as the standard demands.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kJedec = "JESD79-5, DDR5-4800B (40-39-39), 16 Gb, as commonly quoted";
constexpr std::string_view kR2 = "Ramulator 2.1, DDR5-4800";

std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 16.666, 0, kJedec},
      {"tCWL", 15.833, 0, kJedec},
      {"tCCD_S", 0, 8, kJedec},
      {"tCCD_L", 5, 8, kJedec},
      {"tCCD_L_WR", 20, 32, kJedec},
      {"tCCD_R", 0, 10, kJedec},
      {"tRTW", 0, 14, kR2},  // tCL + tBURST + 4 - tCWL
      {"tWTR_S", 2.5, 4, kJedec},
      {"tWTR_L", 10, 16, kJedec},
      // Row access
      {"tRCDRD", 16.25, 0, kJedec},
      {"tRCDWR", 16.25, 0, kJedec},
      {"tRAS", 32, 0, kJedec},
      {"tRC", 48.25, 0, kJedec},
      {"tRRD_S", 0, 8, kJedec},
      {"tRRD_L", 5, 8, kJedec},
      {"tFAW", 13.333, 32, kJedec},
      // Precharge
      {"tRP", 16.25, 0, kJedec},
      {"tRTP", 7.5, 12, kJedec},
      {"tWR", 30, 0, kJedec},
      {"tPPD", 0, 2, kR2},
      // Refresh
      {"tREFI", 3900, 0, kJedec},
      {"tREFI2", 1950, 0, kJedec},
      {"tRFCsb", 130, 0, kJedec},
      {"tREFSBRD", 30, 0, kJedec},
  };
}

// HBM2's array by the square of the voltage (1.1 V to 1.2 V) and the length of the row, over the
// four devices of a rank's sub-channel.
std::vector<NamedEnergy> energies() {
  return {
      {"eACT", 3.06, "estimate: HBM2's by voltage, for four rows of 1 KiB"},
      {"eRD", 2.25, "estimate: HBM2's by voltage"},
      {"eWR", 2.25, "estimate: HBM2's by voltage"},
      {"eIO", 6.0, "estimate: terminated pins and a module's traces"},
      {"eREF", 3.06, "estimate: as ACT and PRE of a row"},
      {"pSTANDBY", 400, "estimate: four devices of about 90 mA at 1.1 V"},
  };
}

std::vector<TimingRule> rules() {
  return {
      // Bank: row access
      {kBank, {kAct}, {kRd, kRda}, "tRCDRD"},
      {kBank, {kAct}, {kWr, kWra}, "tRCDWR"},
      {kBank, {kAct}, {kPre, kPreSb}, "tRAS"},
      {kBank, {kAct}, {kAct, kRefSb}, "tRC"},
      // Bank: precharge
      {kBank, {kPre, kPreSb}, {kAct, kRefSb}, "tRP"},
      {kBank, {kRd}, {kPre, kPreSb}, "tRTP"},
      {kBank, {kWr}, {kPre, kPreSb}, "tCWL + tBURST + tWR"},
      {kBank, {kRd, kRda}, {kAct, kRefSb}, "tRTP + tRP"},
      {kBank, {kWr, kWra}, {kAct, kRefSb}, "tCWL + tBURST + tWR + tRP"},
      // Bank: refresh
      {kBank, {kRefSb}, {kAct}, "tRFCsb"},
      // Bank group
      {kBankGroup, {kRd, kRda}, {kRd, kRda}, "tCCD_L"},
      {kBankGroup, {kWr, kWra}, {kWr, kWra}, "tCCD_L_WR"},
      {kBankGroup, {kWr, kWra}, {kRd, kRda}, "tCWL + tBURST + tWTR_L"},
      {kBankGroup, {kAct}, {kAct, kRefSb}, "tRRD_L"},
      // Rank: commands that address all of its banks
      {kStackId, {kAct}, {kPreAb}, "tRAS"},
      {kStackId, {kAct}, {kRefAb}, "tRC"},
      {kStackId, {kRd}, {kPreAb}, "tRTP"},
      {kStackId, {kWr}, {kPreAb}, "tCWL + tBURST + tWR"},
      {kStackId, {kRd, kRda}, {kRefAb}, "tRTP + tRP"},
      {kStackId, {kWr, kWra}, {kRefAb}, "tCWL + tBURST + tWR + tRP"},
      {kStackId, {kPre, kPreSb}, {kRefAb}, "tRP"},
      {kStackId, {kPreAb}, {kAct, kRefAb, kRefSb}, "tRP"},
      {kStackId, {kRefAb}, {kAct, kRefAb, kRefSb}, "tRFC"},
      {kStackId, {kRefSb}, {kRefAb, kRefSb}, "tRFCsb"},
      {kStackId, {kRefSb}, {kAct}, "tREFSBRD"},
      {kStackId, {kRd, kRda}, {kRd, kRda}, "tCCD_R", 1, Siblings::kYes},
      // Channel (one pseudo-channel)
      {kPseudoChannel, {kRd, kRda}, {kRd, kRda}, "tCCD_S"},
      {kPseudoChannel, {kWr, kWra}, {kWr, kWra}, "tCCD_S"},
      {kPseudoChannel, {kRd, kRda}, {kWr, kWra}, "tRTW"},
      {kPseudoChannel, {kWr, kWra}, {kRd, kRda}, "tCWL + tBURST + tWTR_S"},
      {kPseudoChannel, {kAct}, {kAct}, "tRRD_S"},
      {kPseudoChannel, {kAct}, {kAct}, "tFAW", 4},
      {kPseudoChannel, {kPre, kPreAb, kPreSb}, {kPre, kPreAb, kPreSb}, "tPPD"},
  };
}

}  // namespace

const Standard& ddr5() {
  static const Standard kStandard{
      .name = "DDR5",
      .source = "JESD79-5 organisation; x8 devices, one rank",
      .channels_per_stack = 2,
      .pseudo_channels = 1,
      .data_bits = 32,
      .burst_length = 16,
      .bank_groups = 8,
      .banks_per_group = 4,
      .stack_ids = 1,
      .row_bytes = 4096,
      .capacity_bytes = std::int64_t{16} << 30,
      .ticks_per_ck = 1,
      .bits_per_ck = 2,
      .pin_rate_gbps = 4.8,
      .min_pin_rate_gbps = 3.2,
      .max_pin_rate_gbps = 8.8,
      .shared_command_bus = true,
      .per_bank_refresh = false,
      .same_bank_refresh = true,
      .shapes = {{{kAct}, Bus::kRow, 2, 1},
                 {{kPre, kPreAb, kPreSb, kRefAb, kRefSb}, Bus::kRow, 1, 1},
                 {{kRd, kWr, kRda, kWra}, Bus::kColumn, 2, 1}},
      .timings = timings(),
      .energies = energies(),
      .refresh_times = {{64, 295}, {0, 410}},
      .rules = rules(),
      .default_map = "row sid bank col:4 bg col",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
