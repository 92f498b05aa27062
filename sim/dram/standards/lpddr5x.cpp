// SPDX-License-Identifier: Apache-2.0
// LPDDR5X (JESD209-5C) in bank-group mode: x16 channels, BL16, WCK at four times CK. Row and column
// commands share the CA bus; ACT is the pair ACT-1, ACT-2. A rank is a stack id; a stack is a
// package of four channels.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kJedec = "JESD209-5C core timings, as commonly quoted";
constexpr std::string_view kEstimate = "estimate";

std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 18.75, 0, kEstimate},
      {"tCWL", 10.3, 0, kEstimate},
      {"tCCD_S", 0, 2, kJedec},
      {"tCCD_L", 0, 4, kJedec},
      {"tCCD_R", 0, 4, kEstimate},
      {"tRTW", 12, 0, kEstimate},
      {"tWTR_S", 6.25, 0, kJedec},
      {"tWTR_L", 12, 0, kJedec},
      // Row access
      {"tRCDRD", 18, 2, kJedec},
      {"tRCDWR", 18, 2, kJedec},
      {"tRAS", 42, 3, kJedec},
      {"tRC", 60, 0, kJedec},
      {"tRRD_S", 3.75, 2, kJedec},
      {"tRRD_L", 3.75, 2, kJedec},
      {"tFAW", 15, 0, kJedec},
      // Precharge
      {"tRP", 18, 2, kJedec},
      {"tRPab", 21, 2, kJedec},
      {"tRTP", 7.5, 2, kJedec},
      {"tWR", 34, 3, kJedec},
      {"tPPD", 0, 2, kJedec},
      // Refresh
      {"tREFI", 3906, 0, kJedec},
      {"tRFCpb", 140, 0, kJedec},  // of 16 Gb; Ramulator 2.1: 160
      {"tRREFD", 7.5, 0, kJedec},
  };
}

// HBM2's array by the square of the voltage (1.05 V to 1.2 V) and the length of the row; the pins
// bring the sum near the 3 to 4 pJ/bit commonly quoted.
std::vector<NamedEnergy> energies() {
  return {
      {"eACT", 1.39, "estimate: HBM2's by voltage, for a row of 2 KiB"},
      {"eRD", 2.05, "estimate: HBM2's by voltage"},
      {"eWR", 2.05, "estimate: HBM2's by voltage"},
      {"eIO", 0.9, "estimate: unterminated pins at 0.5 V"},
      {"eREF", 1.39, "estimate: as ACT and PRE of a row"},
      {"pSTANDBY", 20, "estimate"},
  };
}

std::vector<TimingRule> rules() {
  return {
      // Bank: row access
      {kBank, {kAct}, {kRd, kRda}, "tRCDRD"},
      {kBank, {kAct}, {kWr, kWra}, "tRCDWR"},
      {kBank, {kAct}, {kPre}, "tRAS"},
      {kBank, {kAct}, {kAct, kRefPb}, "tRC"},
      // Bank: precharge
      {kBank, {kPre}, {kAct, kRefPb}, "tRP"},
      {kBank, {kRd}, {kPre}, "tRTP"},
      {kBank, {kWr}, {kPre}, "tCWL + tBURST + tWR"},
      {kBank, {kRd, kRda}, {kAct, kRefPb}, "tRTP + tRP"},
      {kBank, {kWr, kWra}, {kAct, kRefPb}, "tCWL + tBURST + tWR + tRP"},
      // Bank: refresh
      {kBank, {kRefPb}, {kAct, kRefPb}, "tRFCpb"},
      // Bank group
      {kBankGroup, {kRd, kRda}, {kRd, kRda}, "tCCD_L"},
      {kBankGroup, {kWr, kWra}, {kWr, kWra}, "tCCD_L"},
      {kBankGroup, {kWr, kWra}, {kRd, kRda}, "tCWL + tBURST + tWTR_L"},
      {kBankGroup, {kAct}, {kAct, kRefPb}, "tRRD_L"},
      // Rank: commands that address all of its banks
      {kStackId, {kAct}, {kPreAb}, "tRAS"},
      {kStackId, {kAct}, {kRefAb}, "tRC"},
      {kStackId, {kRd}, {kPreAb}, "tRTP"},
      {kStackId, {kWr}, {kPreAb}, "tCWL + tBURST + tWR"},
      {kStackId, {kRd, kRda}, {kRefAb}, "tRTP + tRP"},
      {kStackId, {kWr, kWra}, {kRefAb}, "tCWL + tBURST + tWR + tRP"},
      {kStackId, {kPre}, {kRefAb}, "tRP"},
      {kStackId, {kPreAb}, {kAct, kRefAb, kRefPb}, "tRPab"},
      {kStackId, {kRefAb}, {kAct, kRefAb, kRefPb}, "tRFC"},
      {kStackId, {kRefPb}, {kRefAb}, "tRFCpb"},
      {kStackId, {kRd, kRda}, {kRd, kRda}, "tCCD_R", 1, Siblings::kYes},
      // Channel (one pseudo-channel)
      {kPseudoChannel, {kRd, kRda}, {kRd, kRda}, "tCCD_S"},
      {kPseudoChannel, {kWr, kWra}, {kWr, kWra}, "tCCD_S"},
      {kPseudoChannel, {kRd, kRda}, {kWr, kWra}, "tRTW"},
      {kPseudoChannel, {kWr, kWra}, {kRd, kRda}, "tCWL + tBURST + tWTR_S"},
      {kPseudoChannel, {kAct}, {kAct, kRefPb}, "tRRD_S"},
      {kPseudoChannel, {kAct, kRefPb}, {kAct, kRefPb}, "tFAW", 4},
      {kPseudoChannel, {kPre, kPreAb}, {kPre, kPreAb}, "tPPD"},
      {kPseudoChannel, {kRefPb}, {kAct, kRefPb}, "tRREFD"},
  };
}

}  // namespace

const Standard& lpddr5x() {
  static const Standard kStandard{
      .name = "LPDDR5X",
      .source = "JESD209-5C organisation; latencies marked estimate are typical of 8.5 Gb/s",
      .channels_per_stack = 4,
      .pseudo_channels = 1,
      .data_bits = 16,
      .burst_length = 16,
      .bank_groups = 4,
      .banks_per_group = 4,
      .stack_ids = 1,
      .row_bytes = 2048,
      .capacity_bytes = std::int64_t{8} << 30,
      .ticks_per_ck = 1,
      .bits_per_ck = 8,
      .pin_rate_gbps = 8.533,
      .min_pin_rate_gbps = 5.5,
      .max_pin_rate_gbps = 10.7,
      .shared_command_bus = true,
      .per_bank_refresh = true,
      .shapes = {{{kAct}, Bus::kRow, 2, 1},
                 {{kPre, kPreAb, kRefAb, kRefPb}, Bus::kRow, 1, 1},
                 {{kRd, kWr, kRda, kWra}, Bus::kColumn, 1, 1}},
      .timings = timings(),
      .energies = energies(),
      .refresh_times = {{8, 210}, {16, 280}, {0, 380}},
      .rules = rules(),
      .default_map = "row sid bank bg:1 col:4 bg:1 col",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
