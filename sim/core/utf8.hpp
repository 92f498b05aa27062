// SPDX-License-Identifier: Apache-2.0
// Text from outside, which may hold any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgepoint::core {

// Length of the well-formed UTF-8 sequence that starts at `at`, or 0 (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

// Control characters, and bytes that are no UTF-8, as \xNN: fit for one line of a terminal.
std::string printable(std::string_view text);

}  // namespace ridgepoint::core
