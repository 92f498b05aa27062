// SPDX-License-Identifier: Apache-2.0
// How many of equal launches stand for all of them in a step. They differ by where their tensors
// lie: a few DRAM accesses, one refresh more or less. So a step's time is estimated as a stratified
// sample estimates a total, each kernel a stratum, with more launches where they tell most for
// their host time (optimum allocation with costs: Cochran, Sampling Techniques, 3rd ed.,
// section 5.5).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ridgepoint::workloads {

// The launches of one kernel in a step.
struct Stratum {
  std::size_t launches = 0;
  double bytes = 0;        // host time of one, in bytes that its simulation moves
  std::vector<double> ns;  // times of the launches simulated so far
};

// Standard error of a step's time, as a part of it, that is small enough.
inline constexpr double kSamplingError = 6e-4;

// Estimated from the launches simulated so far; of each stratum at least one.
double sampling_error(std::span<const Stratum> strata);

// How many launches of each are to be simulated, as far as those known so far tell; no more than
// are known when the error is small enough.
std::vector<std::size_t> launches_wanted(std::span<const Stratum> strata);

// The order in which launches are chosen: any first few of them lie far apart.
std::vector<std::size_t> spread_order(std::size_t launches);

}  // namespace ridgepoint::workloads
