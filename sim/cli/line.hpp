// SPDX-License-Identifier: Apache-2.0
// Text with numbers, as printf() rounds them; at most 255 characters.
#pragma once

#include <cstdio>
#include <string>

namespace ridgepoint::cli {

std::string line(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace ridgepoint::cli
