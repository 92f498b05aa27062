// SPDX-License-Identifier: Apache-2.0
#include "sim/config/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace ridgepoint::config {
namespace {

template <typename Number>
std::optional<Number> parse(std::string_view text, std::string_view kind, std::string_view overflow,
                            std::string& why) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range && rest == end) {
    why = overflow;
    return std::nullopt;
  }
  if (error != std::errc{} || rest != end) {
    why = kind;
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text, std::string& why) {
  return parse<std::int64_t>(text, "is not an integer", "does not fit in 64 bits", why);
}

std::optional<double> parse_real(std::string_view text, std::string& why) {
  const auto value =
      parse<double>(text, "is not a number", "is outside the range of a double", why);
  if (value && !std::isfinite(*value)) {
    why = "is not a finite number";
    return std::nullopt;
  }
  return value;
}

std::string format_real(double value) {
  std::array<char, 32> buffer{};  // the longest shortest form, -2.2250738585072014e-308, has 24
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace ridgepoint::config
