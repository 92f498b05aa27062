// SPDX-License-Identifier: Apache-2.0
// GDDR7 (JESD239): four 8-bit channels per device; a burst is 32 bytes in two CK (PAM3, counted
// here as 32 bits per pin), CK at a sixteenth of the pin rate. No bank groups: column timings are
// between banks (_S) or of the same bank (_L), so that each bank is a group of its own. Row and
// column commands have buses of their own. A stack is a device. tRPD (PRE to ACT of another bank)
// is not modelled.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kR2 = "estimate: Ramulator 2.1, GDDR7 at 28 Gb/s, itself an estimate";
constexpr std::string_view kR2Rule = "Ramulator 2.1, GDDR7: default in clocks";

// Analogue values are the source's cycle counts times its CK of 0.571 ns.
std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 13.704, 0, kR2},
      {"tCWL", 3.426, 0, kR2},
      {"tCCD_S", 0, 2, kR2Rule},
      {"tCCD_L", 0, 4, kR2Rule},
      {"tCCD_R", 0, 3, "estimate"},
      {"tRTW", 13.704, 0, kR2},  // RL + burst + 4 - WL
      {"tWTR_S", 5.139, 0, kR2},
      {"tWTR_L", 6.281, 0, kR2},
      // Row access
      {"tRCDRD", 17.13, 0, kR2},
      {"tRCDWR", 10.849, 0, kR2},
      {"tRAS", 34.26, 0, kR2},
      {"tRC", 51.39, 0, kR2},
      {"tRRD_S", 2.284, 0, kR2},
      {"tRRD_L", 2.284, 0, kR2},
      // Precharge
      {"tRP", 17.13, 0, kR2},
      {"tRTP", 2.284, 0, kR2},
      {"tWR", 17.13, 0, kR2},
      {"tPPD", 0, 2, kR2Rule},
      // Refresh
      {"tREFI", 1900, 0, kR2Rule},
      {"tRFCpb", 59.955, 0, kR2},
      {"tRREFD", 11.991, 0, kR2},
  };
}

// HBM2's array by the length of the row, at the same 1.2 V.
std::vector<NamedEnergy> energies() {
  return {
      {"eACT", 1.82, "estimate: HBM2's for a row of 2 KiB"},
      {"eRD", 2.68, "estimate: HBM2's"},
      {"eWR", 2.68, "estimate: HBM2's"},
      {"eIO", 2.5, "estimate: a fifth below GDDR6, as PAM3 is commonly quoted"},
      {"eREF", 1.82, "estimate: as ACT and PRE of a row"},
      {"pSTANDBY", 60, "estimate"},
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
      // Bank group: one bank
      {kBankGroup, {kRd, kRda}, {kRd, kRda}, "tCCD_L"},
      {kBankGroup, {kWr, kWra}, {kWr, kWra}, "tCCD_L"},
      {kBankGroup, {kWr, kWra}, {kRd, kRda}, "tCWL + tBURST + tWTR_L"},
      // Device: commands that address all of its banks
      {kStackId, {kAct}, {kPreAb}, "tRAS"},
      {kStackId, {kAct}, {kRefAb}, "tRC"},
      {kStackId, {kRd}, {kPreAb}, "tRTP"},
      {kStackId, {kWr}, {kPreAb}, "tCWL + tBURST + tWR"},
      {kStackId, {kRd, kRda}, {kRefAb}, "tRTP + tRP"},
      {kStackId, {kWr, kWra}, {kRefAb}, "tCWL + tBURST + tWR + tRP"},
      {kStackId, {kPre}, {kRefAb}, "tRP"},
      {kStackId, {kPreAb}, {kAct, kRefAb, kRefPb}, "tRP"},
      {kStackId, {kRefAb}, {kAct, kRefAb, kRefPb}, "tRFC"},
      {kStackId, {kRefPb}, {kRefAb}, "tRFCpb"},
      {kStackId, {kRd, kRda}, {kRd, kRda}, "tCCD_R", 1, Siblings::kYes},
      // Channel (one pseudo-channel)
      {kPseudoChannel, {kRd, kRda}, {kRd, kRda}, "tCCD_S"},
      {kPseudoChannel, {kWr, kWra}, {kWr, kWra}, "tCCD_S"},
      {kPseudoChannel, {kRd, kRda}, {kWr, kWra}, "tRTW"},
      {kPseudoChannel, {kWr, kWra}, {kRd, kRda}, "tCWL + tBURST + tWTR_S"},
      {kPseudoChannel, {kAct}, {kAct, kRefPb}, "tRRD_S"},
      {kPseudoChannel, {kPre, kPreAb}, {kPre, kPreAb}, "tPPD"},
      {kPseudoChannel, {kRefPb}, {kAct, kRefPb}, "tRREFD"},
  };
}

}  // namespace

const Standard& gddr7() {
  static const Standard kStandard{
      .name = "GDDR7",
      .source = "JESD239 organisation; estimated timings",
      .channels_per_stack = 4,
      .pseudo_channels = 1,
      .data_bits = 8,
      .burst_length = 32,
      .bank_groups = 16,
      .banks_per_group = 1,
      .stack_ids = 1,
      .row_bytes = 2048,
      .capacity_bytes = std::int64_t{2} << 30,
      .ticks_per_ck = 1,
      .bits_per_ck = 16,
      .pin_rate_gbps = 28,
      .min_pin_rate_gbps = 20,
      .max_pin_rate_gbps = 40,
      .shared_command_bus = false,
      .per_bank_refresh = true,
      .shapes = {{{kAct}, Bus::kRow, 2, 1},
                 {{kPre, kPreAb, kRefAb, kRefPb}, Bus::kRow, 1, 1},
                 {{kRd, kWr, kRda, kWra}, Bus::kColumn, 2, 1}},
      .timings = timings(),
      .energies = energies(),
      .refresh_times = {{0, 180}},
      .rules = rules(),
      .default_map = "row sid bg:3 col bg:1",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
