// SPDX-License-Identifier: Apache-2.0
// HBM4 (JESD270-4): 32 channels x 2 pseudo-channels x 32 bits, BL8; HBM3's commands and rule table.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {
namespace {

constexpr std::string_view kR2 = "Ramulator 2.1, HBM4 at 8.0 Gb/s";

// At 8.0 Gb/s CK is 0.5 ns; analogue values are the cycle counts of the source times that.
std::vector<NamedTiming> timings() {
  return {
      // Column access
      {"tCL", 10, 0, kR2},
      {"tCWL", 5, 0, kR2},
      {"tCCD_S", 0, 2, kR2},
      {"tCCD_L", 0, 4, kR2},
      {"tCCD_R", 0, 2, kR2},
      {"tRTW", 12.5, 0, kR2},
      {"tWTR_S", 4.5, 0, kR2},
      {"tWTR_L", 6.5, 0, kR2},
      // Row access
      {"tRCDRD", 19.5, 0, kR2},
      {"tRCDWR", 9.5, 0, kR2},
      {"tRAS", 28.5, 0, kR2},
      {"tRC", 45, 0, kR2},
      {"tRRD_S", 2.5, 0, kR2},
      {"tRRD_L", 3.5, 0, kR2},
      {"tFAW", 15, 0, kR2},
      // Precharge
      {"tRP", 16.5, 0, kR2},
      {"tRTP", 6, 0, kR2},
      {"tWR", 21, 0, kR2},
      {"tPPD", 0, 2, kR2},
      // Refresh
      {"tREFI", 3900, 0, kR2},
      {"tRFCpb", 280, 0, kR2},
      {"tRREFD", 8, 0, kR2},
  };
}

// HBM2's figures by the square of the core voltage, 1.05 V to 1.2 V.
std::vector<NamedEnergy> energies() {
  constexpr std::string_view kEstimate = "estimate: HBM2's by (1.05 V / 1.2 V)^2";
  return {
      {"eACT", 0.696, kEstimate},
      {"eRD", 2.05, kEstimate},
      {"eWR", 2.05, kEstimate},
      {"eIO", 0.40, "estimate: as HBM3"},
      {"eREF", 0.696, kEstimate},
      {"pSTANDBY", 25, "estimate: HBM2's by voltage, for a channel of half the pins"},
  };
}

}  // namespace

const Standard& hbm4() {
  static const Standard kStandard = [] {
    Standard standard = hbm3();
    standard.name = "HBM4";
    standard.source = "JESD270-4 organisation; timings as public models use them";
    standard.channels_per_stack = 32;
    standard.bank_groups = 2;
    standard.banks_per_group = 8;
    standard.stack_ids = 2;
    standard.capacity_bytes = std::int64_t{32} << 30;
    standard.pin_rate_gbps = 8.0;
    standard.min_pin_rate_gbps = 6.4;
    standard.max_pin_rate_gbps = 10.0;
    standard.timings = timings();
    standard.energies = energies();
    standard.refresh_times = {{4, 400}, {8, 450}, {0, 530}};
    standard.default_map = "row bank sid col:3 bg pc col";
    return standard;
  }();
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
