// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/limit_search.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {

LimitFound find_limit(const LimitSearch& search, const std::function<bool(double)>& holds) {
  if (!(search.least > 0) || !(search.least <= search.start) || !(search.start <= search.most) ||
      !(search.tolerance > 0)) {
    throw core::InputError("search: needs 0 < least <= start <= most and a tolerance above 0");
  }
  LimitFound found;
  const auto ask = [&](double value) {
    const bool answer = holds(value);
    (answer ? found.holds : found.fails) = value;
    return answer;
  };
  // Away from the start until the answer changes or a bound is reached.
  const bool first = ask(search.start);
  const bool upward = first == search.holds_below;
  double at = search.start;
  while (!found.holds || !found.fails) {
    const double next = std::clamp(upward ? 2 * at : at / 2, search.least, search.most);
    const double value = search.whole ? (upward ? std::floor(next) : std::ceil(next)) : next;
    if (value == at) return found;
    at = value;
    ask(at);
  }
  while (true) {
    const double low = std::min(*found.holds, *found.fails);
    const double high = std::max(*found.holds, *found.fails);
    if (search.whole ? high - low <= 1 : high <= low * (1 + search.tolerance)) return found;
    ask(search.whole ? std::floor((low + high) / 2) : std::sqrt(low * high));
  }
}

}  // namespace ridgepoint::workloads
