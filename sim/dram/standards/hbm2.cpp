// SPDX-License-Identifier: Apache-2.0
// HBM2 (JESD235) in pseudo-channel mode: 8 channels x 2 pseudo-channels x 64 bits, BL4. CK runs at
// half the pin rate; ACT takes two CK on the row bus. The tick is one CK.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

using enum Command;
using enum Scope;

constexpr std::string_view kR2 = "Ramulator 2.1, HBM2 at 2.0 Gb/s";

// At 2.0 Gb/s CK is 1 ns, so the analogue values equal the source's cycle counts.
std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 14, 0, kR2},
      {"tCWL", 5, 0, kR2},
      {"tCCD_S", 0, 2, kR2},
      {"tCCD_L", 0, 4, kR2},
      {"tCCD_R", 0, 2, "DRAMSys 5.5, HBM2"},
      {"tRTW", 13, 0, kR2},
      {"tWTR_S", 6, 0, kR2},
      {"tWTR_L", 8, 0, kR2},
      // Row access
      {"tRCDRD", 14, 0, kR2},
      {"tRCDWR", 12, 0, kR2},
      {"tRAS", 34, 0, kR2},
      {"tRC", 48, 0, kR2},
      {"tRRD_S", 4, 0, kR2},
      {"tRRD_L", 4, 0, kR2},
      {"tFAW", 15, 0, kR2},
      // Precharge
      {"tRP", 14, 0, kR2},
      {"tRTP", 5, 0, kR2},
      {"tWR", 16, 0, kR2},
      // Refresh
      {"tREFI", 3900, 0, kR2},
      {"tRFCpb", 160, 0, kR2},
      {"tRREFD", 8, 0, kR2},
  };
}

// The row is 1 KiB, as in the source of its energy.
std::vector<NamedEnergy> energies() {
  constexpr std::string_view kOConnor = "O'Connor et al., MICRO 2017, table 3: HBM2";
  return {
      {"eACT", 0.909, kOConnor},
      {"eRD", 1.51 + 1.17, kOConnor},  // before and after the global sense amplifiers
      {"eWR", 1.51 + 1.17, "estimate: as a read"},
      {"eIO", 0.80, kOConnor},
      {"eREF", 0.909, "estimate: as ACT and PRE of a row"},
      {"pSTANDBY", 66, "DRAMsim3, HBM2: IDD3N 55 mA at 1.2 V, itself without a source"},
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
      {kPseudoChannel, {kRefPb}, {kAct, kRefPb}, "tRREFD"},
  };
}

}  // namespace

const Standard& hbm2() {
  static const Standard kStandard{
      .name = "HBM2",
      .source = "JESD235 organisation; timings as public models use them",
      .channels_per_stack = 8,
      .pseudo_channels = 2,
      .data_bits = 64,
      .burst_length = 4,
      .bank_groups = 4,
      .banks_per_group = 4,
      .stack_ids = 1,
      .row_bytes = 1024,
      .capacity_bytes = std::int64_t{8} << 30,
      .ticks_per_ck = 1,
      .bits_per_ck = 2,
      .pin_rate_gbps = 2.0,
      .min_pin_rate_gbps = 1.0,
      .max_pin_rate_gbps = 2.4,
      .shared_command_bus = false,
      .per_bank_refresh = true,
      .shapes = {{{kAct}, Bus::kRow, 2, 1},
                 {{kPre, kPreAb, kRefAb, kRefPb}, Bus::kRow, 1, 1},
                 {{kRd, kWr, kRda, kWra}, Bus::kColumn, 1, 1}},
      .timings = timings(),
      .energies = energies(),
      .refresh_times = {{1, 110}, {2, 160}, {4, 260}, {8, 350}, {0, 450}},
      .rules = rules(),
      .default_map = "row bank bg:1 sid col:3 bg:1 pc col",
  };
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
