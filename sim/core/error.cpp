// SPDX-License-Identifier: Apache-2.0
#include "sim/core/error.hpp"

namespace ridgepoint::core {
namespace {

// A value as it can stand in a one-line message: control characters escaped, long ones cut.
std::string printable(const std::string& text) {
  static constexpr std::size_t kLongest = 80;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  if (text.size() > kLongest) out += "...";
  return out;
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
  if (!key.empty()) text += '\'' + printable(key) + "': ";
  if (!value.empty()) text += "value '" + printable(value) + "' ";
  text += what;
  if (!accepted.empty()) text += "; accepted: " + accepted;
  return text;
}

void fail_input(const Location& where, const std::string& key, const std::string& value,
                const std::string& what, const std::string& accepted) {
  throw InputError(describe(where, key, value, what, accepted));
}

}  // namespace ridgepoint::core
