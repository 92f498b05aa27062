// SPDX-License-Identifier: Apache-2.0
// The cells of trace files as numbers and times. Every parser takes the whole cell or throws
// InputError naming the place, the column, the text and what is accepted.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/core/error.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

// Where a cell stands and what its column is called, for messages.
struct CellPlace {
  core::Location where;
  std::string_view key;
};

// A decimal integer in [lowest, highest].
std::int64_t parse_integer(std::string_view text, std::int64_t lowest, std::int64_t highest,
                           const CellPlace& place);

// A non-negative decimal number (exponent allowed) of units of `unit_ns` nanoseconds, for example
// "12.5" seconds. Exact to the nanosecond; further digits round half up.
Nanoseconds parse_time(std::string_view text, Nanoseconds unit_ns, const CellPlace& place);

// "2023-11-16 18:17:03.9799600", also with an offset "+00:00" or "Z" behind it, with or without a
// fraction of 1 to 9 digits: nanoseconds since 1970-01-01 UTC (without an offset: of that zone).
Nanoseconds parse_date_time(std::string_view text, const CellPlace& place);

}  // namespace ridgepoint::workloads
