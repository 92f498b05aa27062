// SPDX-License-Identifier: Apache-2.0
// Numbers as text: full-match parsing and shortest round-trip printing. Not a units parser: a unit
// is part of a name (clock_mhz), never of a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ridgepoint::config {

// The whole text must be one decimal integer in the range of int64; no sign '+', spaces or
// exponent. On failure `why` says what is wrong ("is not an integer", "does not fit in 64 bits").
std::optional<std::int64_t> parse_integer(std::string_view text, std::string& why);

// The whole text must be one finite decimal number, correctly rounded; "nan", "inf" and overflow
// fail.
std::optional<double> parse_real(std::string_view text, std::string& why);

// The shortest text that parse_real() reads back as the same double. Precondition: finite.
std::string format_real(double value);

}  // namespace ridgepoint::config
