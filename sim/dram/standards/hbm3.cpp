// SPDX-License-Identifier: Apache-2.0
// HBM3 (JESD238): 16 channels x 2 pseudo-channels x 32 bits, BL8. The command clock CK runs at a
// quarter of the pin rate and row commands may start on its falling edge, so the tick is half a CK.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kR2 = "Ramulator 2.1, HBM3 at 6.4 Gb/s";
constexpr std::string_view kR2Comment = "Ramulator 2.1, HBM3: comment 'max(3 CK, 8 ns)'";

// At 6.4 Gb/s CK is 0.625 ns; analogue values are the cycle counts of the source times that.
std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 12.5, 0, kR2},
      {"tCWL", 6.25, 0, kR2},
      {"tCCD_S", 0, 2, kR2},
      {"tCCD_L", 0, 4, kR2},
      {"tCCD_R", 0, 3, kR2},
      {"tRTW", 12.5, 0, kR2},
      {"tWTR_S", 4.375, 0, kR2},
      {"tWTR_L", 6.25, 0, kR2},
      // Row access
      {"tRCDRD", 19.375, 0, kR2},
      {"tRCDWR", 9.375, 0, kR2},
      {"tRAS", 28.125, 0, kR2},
      {"tRC", 45.0, 0, kR2},
      {"tRRD_S", 2.5, 0, kR2},
      {"tRRD_L", 3.125, 0, kR2},
      {"tFAW", 15.0, 0, kR2},
      // Precharge
      {"tRP", 16.25, 0, kR2},
      {"tRTP", 5.625, 0, kR2},
      {"tWR", 20.625, 0, kR2},
      {"tPPD", 0, 2, kR2},
      // Refresh
      {"tREFI", 3900, 0, kR2},
      {"tRFCpb", 200, 0, kR2},
      {"tRREFD", 8, 3, kR2Comment},
  };
}

// HBM2's figures by the square of the core voltage, 1.1 V to 1.2 V.
std::vector<NamedEnergy> energies() {
  constexpr std::string_view kEstimate = "estimate: HBM2's by (1.1 V / 1.2 V)^2";
  return {
      {"eACT", 0.764, kEstimate},
      {"eRD", 2.25, kEstimate},
      {"eWR", 2.25, kEstimate},
      {"eIO", 0.40, "estimate: half of HBM2's, for the 0.4 V swing of the pins"},
      {"eREF", 0.764, kEstimate},
      {"pSTANDBY", 28, "estimate: HBM2's by voltage, for a channel of half the pins"},
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
      // Stack id: commands that address all of its banks
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
      // Pseudo-channel
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

const Standard& hbm3() {
  static const Standard kStandard{
      .name = "HBM3",
      .source = "JESD238 organisation; timings as public models use them",
      .channels_per_stack = 16,
      .pseudo_channels = 2,
      .data_bits = 32,
      .burst_length = 8,
      .bank_groups = 4,
      .banks_per_group = 4,
      .stack_ids = 1,
      .row_bytes = 1024,
      .capacity_bytes = std::int64_t{16} << 30,
      .ticks_per_ck = 2,
      .bits_per_ck = 4,
      .pin_rate_gbps = 6.4,
      .min_pin_rate_gbps = 3.2,
      .max_pin_rate_gbps = 6.4,
      .shared_command_bus = false,
      .per_bank_refresh = true,
      .shapes = {{{kAct}, Bus::kRow, 3, 2},
                 {{kPre, kPreAb, kRefAb, kRefPb}, Bus::kRow, 1, 1},
                 {{kRd, kWr, kRda, kWra}, Bus::kColumn, 2, 2}},
      .timings = timings(),
      .energies = energies(),
      .refresh_times = {{4, 260}, {8, 350}, {16, 450}, {0, 550}},
      .rules = rules(),
      .default_map = "row bank bg:1 sid col:3 bg:1 pc col",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
