// SPDX-License-Identifier: Apache-2.0
// Random bits that are the same on every machine and with every library, unlike the distributions
// of <random>. SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014. Not for cryptography.
#pragma once

#include <cstdint>

namespace ridgepoint::core {

class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [-1, 1), a multiple of 2^-23: exact in a float.
  constexpr float symmetric() {
    const auto bits = static_cast<std::int32_t>(next() >> 40);
    return static_cast<float>(bits - (1 << 23)) * 0x1p-23f;
  }

 private:
  std::uint64_t state_;
};

}  // namespace ridgepoint::core
