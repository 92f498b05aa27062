// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/random.hpp"

#include <bit>
#include <cmath>

namespace ridgepoint::workloads {
namespace {

// ln 2 in two parts: the first has 20 trailing zero bits, so that k * kLn2High is exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

double portable_log(double x) {
  // x = m * 2^k with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh((m-1)/(m+1)) by its series.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int k = static_cast<int>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3fe0000000000000u);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1);  // |s| <= 0.1716: s^22/23 < 2^-60
  const double square = s * s;
  double sum = 0;
  for (int n = 23; n >= 1; n -= 2) sum = sum * square + 1.0 / n;
  const double high = k * kLn2High;
  return high + (k * kLn2Low + 2 * s * sum);
}

double portable_exp(double x) {
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| <= 0.347: r^14/14! < 2^-57
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

std::uint64_t Random::below(std::uint64_t limit) {
  const std::uint64_t threshold = (0 - limit) % limit;  // 2^64 mod limit values are refused
  while (true) {
    const std::uint64_t value = bits();
    if (value >= threshold) return value % limit;
  }
}

double Random::exponential() { return -portable_log(uniform()); }

double Random::normal() {
  while (true) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double square = u * u + v * v;
    if (square < 1 && square > 0) return u * std::sqrt(-2 * portable_log(square) / square);
  }
}

double Random::gamma(double shape) {
  if (shape < 1) {  // G(a) = G(a+1) * U^(1/a)
    const double base = gamma(shape + 1);
    return base * portable_exp(portable_log(uniform()) / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (portable_log(uniform()) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v;
  }
}

}  // namespace ridgepoint::workloads
