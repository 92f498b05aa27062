// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same bits on every machine: xoshiro256++ (Blackman and Vigna, 2019)
// and transformations made of IEEE-exact operations only (+ - * / sqrt), because std::log, std::exp
// and the standard distributions differ between libraries. Not for cryptography.
#pragma once

#include <array>
#include <cstdint>

namespace ridgepoint::workloads {

// Natural logarithm of x > 0 and exponential of |x| <= 700, within 4 ulp, the same everywhere.
double portable_log(double x);
double portable_exp(double x);

class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t bits();
  double uniform();                          // in (0, 1), 53 bits
  std::uint64_t below(std::uint64_t limit);  // in [0, limit), unbiased; limit > 0
  double exponential();                      // mean 1
  double normal();                           // mean 0, variance 1 (polar method)
  double gamma(double shape);                // mean = shape, scale 1 (Marsaglia and Tsang, 2000)

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace ridgepoint::workloads
