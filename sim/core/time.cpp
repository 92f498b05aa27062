// SPDX-License-Identifier: Apache-2.0
#include "sim/core/time.hpp"

#include <numeric>

#include "sim/core/error.hpp"

namespace ridgepoint::core {
namespace {
__extension__ using Wide = __int128;
}

Clock::Clock(std::int64_t period_numerator_fs, std::int64_t period_denominator)
    : numerator_(period_numerator_fs), denominator_(period_denominator) {
  if (numerator_ <= 0 || denominator_ <= 0) {
    throw InputError("clock period must be positive, got " + std::to_string(numerator_) + "/" +
                     std::to_string(denominator_) + " fs");
  }
  const std::int64_t divisor = std::gcd(numerator_, denominator_);
  numerator_ /= divisor;
  denominator_ /= divisor;
}

Clock Clock::from_hertz(std::int64_t hertz) { return Clock(kFsPerSecond, hertz); }

Femtoseconds Clock::time_of(Cycle cycle) const {
  if (cycle == kNever) return kNever;
  std::int64_t product = 0;  // fits nearly always, and a division of 128 bits is slow
  if (!__builtin_mul_overflow(cycle, numerator_, &product)) return product / denominator_;
  const Wide time = static_cast<Wide>(cycle) * numerator_ / denominator_;
  if (time >= kNever) throw SimulationError("simulated time exceeds 9,223 seconds");
  return static_cast<Femtoseconds>(time);
}

Cycle Clock::first_cycle_at_or_after(Femtoseconds time) const {
  if (time == kNever) return kNever;
  // floor(c * num / den) >= time  <=>  c * num >= time * den
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(time, denominator_, &product) &&
      !__builtin_add_overflow(product, numerator_ - 1, &product)) {
    return product / numerator_;
  }
  return static_cast<Cycle>((static_cast<Wide>(time) * denominator_ + numerator_ - 1) / numerator_);
}

double Clock::period_ns() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_) /
         static_cast<double>(kFsPerNs);
}

double Clock::hertz() const { return 1e9 / period_ns(); }

}  // namespace ridgepoint::core
