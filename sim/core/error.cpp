// SPDX-License-Identifier: Apache-2.0
#include "sim/core/error.hpp"

#include <algorithm>

#include "sim/core/utf8.hpp"

namespace ridgepoint::core {
namespace {

// A value as it can stand in a message: long ones cut, between characters.
std::string shortened(const std::string& text) {
  static constexpr std::size_t kLongest = 80;
  std::size_t end = 0;
  while (end < std::min(kLongest, text.size()))
    end += std::max<std::size_t>(1, utf8_length(text, end));
  return printable(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

}  // namespace

std::string describe(const Location& where, const std::string& key, const std::string& value,
                     const std::string& what, const std::string& accepted) {
  std::string text;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line != 0) text += ':' + std::to_string(where.line);
    if (where.column != 0) text += ':' + std::to_string(where.column);
    text += ": ";
  }
  if (!key.empty()) text += '\'' + shortened(key) + "': ";
  if (!value.empty()) text += "value '" + shortened(value) + "' ";
  text += what;
  if (!accepted.empty()) text += "; accepted: " + accepted;
  return text;
}

void fail_input(const Location& where, const std::string& key, const std::string& value,
                const std::string& what, const std::string& accepted) {
  throw InputError(describe(where, key, value, what, accepted));
}

}  // namespace ridgepoint::core
