// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/launch_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridgepoint::workloads {
namespace {

// Simulated in any case, before anything is known about their differences: so much traffic, but
// three launches of all but the longest.
constexpr double kFirstBytes = 64e6;
constexpr std::size_t kFewest = 3;
constexpr double kLongBytes = 400e6;
constexpr std::size_t kMostAtFirst = 32;
constexpr double kLaunchBytes = 5e5;  // host time of a launch that moves nothing

// Few launches may be alike by chance: theirs is the variance as if one more had been known, which
// differs from their mean by this much. Where launches differ, it is by their beginnings and ends,
// however long they are.
constexpr double kPriorDeviation = 0.003;  // of the mean, and at most
constexpr double kPriorDeviationNs = 150;

double host_bytes(const Stratum& stratum) { return stratum.bytes + kLaunchBytes; }

double mean(const Stratum& stratum) {
  return std::accumulate(stratum.ns.begin(), stratum.ns.end(), 0.0) /
         static_cast<double>(stratum.ns.size());
}

double variance_of_one(const Stratum& stratum) {
  const double middle = mean(stratum);
  const double prior = std::min(kPriorDeviation * middle, kPriorDeviationNs);
  double sum = prior * prior;
  for (const double each : stratum.ns) sum += (each - middle) * (each - middle);
  return sum / static_cast<double>(stratum.ns.size());
}

// Of the stratum's total when `count` of its launches are simulated.
double variance_of_total(const Stratum& stratum, std::size_t count) {
  const auto all = static_cast<double>(stratum.launches);
  return all * all * variance_of_one(stratum) * (1 / static_cast<double>(count) - 1 / all);
}

double total_of(std::span<const Stratum> strata) {
  double total = 0;
  for (const Stratum& stratum : strata) {
    total += static_cast<double>(stratum.launches) * mean(stratum);
  }
  return total;
}

}  // namespace

double sampling_error(std::span<const Stratum> strata) {
  double variance = 0;
  for (const Stratum& stratum : strata) {
    variance += variance_of_total(stratum, stratum.ns.size());
  }
  return variance == 0 ? 0 : std::sqrt(variance) / total_of(strata);
}

std::vector<std::size_t> launches_wanted(std::span<const Stratum> strata) {
  std::vector<std::size_t> wanted;
  bool known = true;
  for (const Stratum& stratum : strata) {
    const auto affordable = static_cast<std::size_t>(kFirstBytes / host_bytes(stratum));
    const std::size_t fewest = stratum.bytes < kLongBytes ? kFewest : 1;
    const std::size_t first =
        std::min(stratum.launches, std::clamp(affordable, fewest, kMostAtFirst));
    wanted.push_back(std::max(first, stratum.ns.size()));
    known = known && stratum.ns.size() >= first;
  }
  if (!known || strata.empty()) return wanted;
  const double enough = kSamplingError * total_of(strata);
  while (true) {
    double sum = 0;
    double most = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < strata.size(); ++i) {
      const double variance = variance_of_total(strata[i], wanted[i]);
      sum += variance;
      const double worth = variance / (host_bytes(strata[i]) * static_cast<double>(wanted[i]));
      if (worth > most) most = worth, best = i;
    }
    if (sum <= enough * enough) return wanted;
    wanted[best] = std::min(strata[best].launches, 2 * wanted[best]);
  }
}

std::vector<std::size_t> spread_order(std::size_t launches) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(launches);
  for (std::size_t parts = 1; order.size() < launches; parts *= 2) {
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t launch = part * launches / parts;
      if (taken[launch]) continue;
      taken[launch] = true;
      order.push_back(launch);
    }
  }
  return order;
}

}  // namespace ridgepoint::workloads
