// SPDX-License-Identifier: Apache-2.0
// Bisection for the largest (or smallest) value at which a condition still holds. Every value tried
// is up to the caller to list: the condition is asked once per value.
#pragma once

#include <functional>
#include <optional>

namespace ridgepoint::workloads {

struct LimitSearch {
  double start = 1;  // tried first; least <= start <= most
  double least = 0;  // > 0; nothing outside [least, most] is tried
  double most = 0;
  double tolerance = 0.02;  // of the ratio of the two values that enclose the limit
  bool whole = false;       // whole numbers only; then the limit is exact
  bool holds_below = true;  // the condition holds for small values: the largest is looked for
};

struct LimitFound {
  std::optional<double> holds;  // the limit: the last value that holds; nothing: none does
  std::optional<double> fails;  // the nearest one known to fail; nothing: none does
};

// Doubling away from `start`, then bisection (geometric). Assumes that the condition changes once;
// where it does not, the limit found is one of the places where it changes. Throws InputError for
// bounds or a tolerance that make no sense.
LimitFound find_limit(const LimitSearch& search, const std::function<bool(double)>& holds);

}  // namespace ridgepoint::workloads
