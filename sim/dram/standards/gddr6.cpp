// SPDX-License-Identifier: Apache-2.0
// GDDR6 (JESD250): two 16-bit channels per device, BL16, CK at an eighth of the pin rate. A stack
// is a device. Data sheets differ by grade, and none is at hand: analogue times are a public
// model's at 14 Gb/s, kept in nanoseconds for other rates.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kR2 = "Ramulator 2.1, GDDR6 at 14 Gb/s, 1.35 V";
constexpr std::string_view kJedec = "JESD250, as commonly quoted";
constexpr std::string_view kEstimate = "estimate";

// Analogue values are the source's cycle counts times its CK of 0.57 ns.
std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 13.68, 0, kR2},
      {"tCWL", 3.42, 0, kR2},
      {"tCCD_S", 0, 2, kJedec},
      {"tCCD_L", 0, 3, kJedec},
      {"tCCD_R", 0, 3, kEstimate},
      {"tRTW", 14.25, 0, kR2},  // tCL + 1 CK
      {"tWTR_S", 5.13, 0, kR2},
      {"tWTR_L", 6.27, 0, kR2},
      // Row access
      {"tRCDRD", 14.82, 0, kR2},
      {"tRCDWR", 9.12, 0, kR2},
      {"tRAS", 30.21, 0, kR2},
      {"tRC", 45.03, 0, kR2},
      {"tRRD_S", 4, 2, kR2},
      {"tRRD_L", 4, 2, kR2},
      {"tFAW", 16, 8, kR2},
      // Precharge
      {"tRP", 14.82, 0, kR2},
      {"tRTP", 2.28, 2, kR2},
      {"tWR", 14.82, 0, kR2},
      // Refresh
      {"tREFI", 1900, 0, kR2},
      {"tRFCpb", 60, 0, kR2},
      {"tRREFD", 8, 2, kR2},
  };
}

// HBM2's array by the square of the voltage (1.35 V to 1.2 V) and the length of the row; the pins
// bring the sum to the 6.5 to 7.5 pJ/bit commonly quoted for a device.
std::vector<NamedEnergy> energies() {
  return {
      {"eACT", 2.30, "estimate: HBM2's by voltage, for a row of 2 KiB"},
      {"eRD", 3.39, "estimate: HBM2's by voltage"},
      {"eWR", 3.39, "estimate: HBM2's by voltage"},
      {"eIO", 3.0, "estimate: what is left of 6.5 pJ/bit"},
      {"eREF", 2.30, "estimate: as ACT and PRE of a row"},
      {"pSTANDBY", 90, "estimate"},
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
      {kPseudoChannel, {kAct, kRefPb}, {kAct, kRefPb}, "tFAW", 4},
      {kPseudoChannel, {kRefPb}, {kAct, kRefPb}, "tRREFD"},
  };
}

}  // namespace

const Standard& gddr6() {
  static const Standard kStandard{
      .name = "GDDR6",
      .source = "JESD250 organisation; timings as a public model uses them",
      .channels_per_stack = 2,
      .pseudo_channels = 1,
      .data_bits = 16,
      .burst_length = 16,
      .bank_groups = 4,
      .banks_per_group = 4,
      .stack_ids = 1,
      .row_bytes = 2048,
      .capacity_bytes = std::int64_t{2} << 30,
      .ticks_per_ck = 1,
      .bits_per_ck = 8,
      .pin_rate_gbps = 16,
      .min_pin_rate_gbps = 10,
      .max_pin_rate_gbps = 20,
      .shared_command_bus = true,
      .per_bank_refresh = true,
      .shapes = {{{kAct}, Bus::kRow, 1, 1},
                 {{kPre, kPreAb, kRefAb, kRefPb}, Bus::kRow, 1, 1},
                 {{kRd, kWr, kRda, kWra}, Bus::kColumn, 1, 1}},
      .timings = timings(),
      .energies = energies(),
      .refresh_times = {{8, 120}, {0, 180}},
      .rules = rules(),
      .default_map = "row sid bank bg:1 col:4 bg:1 col",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
