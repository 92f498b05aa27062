// SPDX-License-Identifier: Apache-2.0
// HBM3E: HBM3's organisation and commands at 8.0 to 9.8 Gb/s, with 24 Gb dies. Public figures for
// its timings are missing: HBM3's analogue times are kept in nanoseconds, which is an estimate.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {

const Standard& hbm3e() {
  static const Standard kStandard = [] {
    Standard standard = hbm3();
    standard.name = "HBM3E";
    standard.source = "vendors' data rates and densities; estimate: HBM3's times in ns";
    for (NamedTiming& timing : standard.timings) timing.source = "estimate: HBM3's";
    for (NamedEnergy& energy : standard.energies) energy.source = "estimate: HBM3's";
    standard.stack_ids = 2;
    standard.capacity_bytes = std::int64_t{24} << 30;  // rows are not a power of two
    standard.pin_rate_gbps = 9.2;
    standard.min_pin_rate_gbps = 4.8;
    standard.max_pin_rate_gbps = 9.8;
    return standard;
  }();
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
