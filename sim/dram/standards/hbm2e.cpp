// SPDX-License-Identifier: Apache-2.0
// HBM2E (JESD235C): HBM2's organisation and commands at up to 3.6 Gb/s and twice the density. No
// public model has a preset: HBM2's analogue times are kept in nanoseconds, which is an estimate.
#include "sim/dram/standards/list.hpp"

namespace ridgepoint::dram::standards {

const Standard& hbm2e() {
  static const Standard kStandard = [] {
    Standard standard = hbm2();
    standard.name = "HBM2E";
    standard.source = "JESD235C organisation; estimate: HBM2's times in ns";
    for (NamedTiming& timing : standard.timings) timing.source = "estimate: HBM2's";
    for (NamedEnergy& energy : standard.energies) energy.source = "estimate: HBM2's";
    standard.stack_ids = 2;
    standard.capacity_bytes = std::int64_t{16} << 30;
    standard.pin_rate_gbps = 3.2;
    standard.min_pin_rate_gbps = 2.4;
    standard.max_pin_rate_gbps = 3.6;
    return standard;
  }();
  return kStandard;
}

}  // namespace ridgepoint::dram::standards
