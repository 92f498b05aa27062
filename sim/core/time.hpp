// SPDX-License-Identifier: Apache-2.0
// Time is integer cycles of a named clock inside a component and integer femtoseconds between
// components. A clock's period is an exact rational number of femtoseconds, so that 312.5 ps or
// 1/1.41 GHz never accumulate rounding.
#pragma once

#include <cstdint>
#include <limits>

namespace ridgepoint::core {

using Cycle = std::int64_t;        // count of some clock's periods
using Femtoseconds = std::int64_t;  // 2^63 fs = 9,223 s of simulated time

inline constexpr Cycle kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr Femtoseconds kFsPerNs = 1'000'000;
inline constexpr Femtoseconds kFsPerSecond = 1'000'000'000'000'000;

class Clock {
 public:
  // Period = numerator/denominator fs, both > 0 and reduced below 2^62; throws InputError otherwise.
  Clock(std::int64_t period_numerator_fs, std::int64_t period_denominator);
  static Clock from_hertz(std::int64_t hertz);

  // Time of the edge that starts `cycle`, rounded down to a femtosecond. Throws SimulationError
  // past 9,223 s. kNever maps to kNever both ways.
  Femtoseconds time_of(Cycle cycle) const;
  // The first cycle whose edge is at or after `time`.
  Cycle first_cycle_at_or_after(Femtoseconds time) const;
  double period_ns() const;
  double hertz() const;

  friend bool operator==(const Clock&, const Clock&) = default;

 private:
  std::int64_t numerator_;
  std::int64_t denominator_;
};

}  // namespace ridgepoint::core
