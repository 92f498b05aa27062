// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) of a text, to name a configuration. Not for secrets.
#pragma once

#include <string>
#include <string_view>

namespace ridgepoint::config {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view message);

}  // namespace ridgepoint::config
