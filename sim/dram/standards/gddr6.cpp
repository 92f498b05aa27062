// SPDX-License-Identifier: Apache-2.0
// GDDR6 (JESD250): two 16-bit channels per device, BL16, CK at an eighth of the pin rate. A stack
// is a device. Core timings are estimates: data sheets differ by grade, and none is at hand.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kEstimate = "estimate, typical of a 16 Gb/s grade";

std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 12, 0, kEstimate},
      {"tCWL", 4, 0, kEstimate},
      {"tCCD_S", 0, 2, kEstimate},
      {"tCCD_L", 0, 3, kEstimate},
      {"tCCD_R", 0, 3, kEstimate},
      {"tRTW", 10.5, 0, kEstimate},
      {"tWTR_S", 4.5, 0, kEstimate},
      {"tWTR_L", 5.5, 0, kEstimate},
      // Row access
      {"tRCDRD", 15, 0, kEstimate},
      {"tRCDWR", 10, 0, kEstimate},
      {"tRAS", 30, 0, kEstimate},
      {"tRC", 45, 0, kEstimate},
      {"tRRD_S", 4, 0, kEstimate},
      {"tRRD_L", 4, 0, kEstimate},
      {"tFAW", 16, 0, kEstimate},
      // Precharge
      {"tRP", 15, 0, kEstimate},
      {"tRTP", 2, 2, kEstimate},
      {"tWR", 15, 0, kEstimate},
      // Refresh
      {"tREFI", 1900, 0, kEstimate},
      {"tRFCpb", 60, 0, kEstimate},
      {"tRREFD", 8, 0, kEstimate},
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
      .source = "JESD250 organisation; estimated timings",
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
      .refresh_times = {{8, 120}, {0, 160}},
      .rules = rules(),
      .default_map = "row sid bank bg:1 col:4 bg:1 col",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
