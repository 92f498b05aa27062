// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/cells.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

namespace ridgepoint::workloads {
namespace {

[[noreturn]] void fail(const CellPlace& place, std::string_view text, const std::string& what,
                       const std::string& accepted) {
  core::fail_input(place.where, std::string(place.key), std::string(text),
                   text.empty() ? "blank cell" : what, accepted);
}

constexpr const char* kTimeAccepted = "a non-negative decimal number of at most 292 years";
constexpr const char* kDateAccepted = "YYYY-MM-DD HH:MM:SS[.fraction][+HH:MM|Z]";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes exactly `digits` digits from the front of `text`; -1 if they are not there.
int take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// The digits behind a decimal point as nanoseconds of a second; -1 if there is none or more than 9.
Nanoseconds take_fraction(std::string_view& text) {
  Nanoseconds value = 0;
  Nanoseconds scale = kNsPerSecond;
  while (!text.empty() && is_digit(text.front())) {
    scale /= 10;
    if (scale == 0) return -1;
    value += (text.front() - '0') * scale;
    text.remove_prefix(1);
  }
  return scale == kNsPerSecond ? -1 : value;
}

// Exact conversion of digits[.digits] without an exponent; false if the shape differs or overflows.
bool exact_time(std::string_view text, Nanoseconds unit_ns, Nanoseconds& result) {
  __extension__ using Wide = __int128;
  static constexpr Wide kLimit = kForever;
  Wide value = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    value = value * 10 + (text[i] - '0');
    if (value > kLimit) return false;
  }
  if (i == 0) return false;
  value *= unit_ns;
  if (i < text.size()) {
    if (text[i] != '.' || i + 1 == text.size()) return false;
    Nanoseconds scale = unit_ns;  // powers of ten: a digit is worth scale/10
    bool rounded = false;
    for (++i; i < text.size(); ++i) {
      if (!is_digit(text[i])) return false;
      if (scale >= 10) {
        scale /= 10;
        value += (text[i] - '0') * scale;
      } else if (!rounded) {
        rounded = true;
        value += text[i] >= '5' ? 1 : 0;
      }
    }
  }
  if (value >= kLimit) return false;
  result = static_cast<Nanoseconds>(value);
  return true;
}

}  // namespace

std::int64_t parse_integer(std::string_view text, std::int64_t lowest, std::int64_t highest,
                           const CellPlace& place) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string accepted =
      "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest);
  if (error == std::errc::result_out_of_range) fail(place, text, "out of range", accepted);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(place, text, "not an integer", accepted);
  }
  if (value < lowest || value > highest) fail(place, text, "out of range", accepted);
  return value;
}

Nanoseconds parse_time(std::string_view text, Nanoseconds unit_ns, const CellPlace& place) {
  Nanoseconds exact = 0;
  if (exact_time(text, unit_ns, exact)) return exact;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail(place, text, "out of range", kTimeAccepted);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    fail(place, text, "not a decimal number", kTimeAccepted);
  }
  const double ns = value * static_cast<double>(unit_ns);
  if (value < 0 || ns >= 9.2e18) fail(place, text, "out of range", kTimeAccepted);
  return std::llround(ns);
}

Nanoseconds parse_date_time(std::string_view text, const CellPlace& place) {
  namespace chrono = std::chrono;
  std::string_view rest = text;
  const auto part = [&](std::size_t digits, char before) {
    const bool separated = before == 0 || take(rest, before) || (before == ' ' && take(rest, 'T'));
    const int value = separated ? take_number(rest, digits) : -1;
    if (value < 0) fail(place, text, "not a date and time", kDateAccepted);
    return value;
  };
  const int year = part(4, 0);
  const auto month = static_cast<unsigned>(part(2, '-'));
  const auto day = static_cast<unsigned>(part(2, '-'));
  const int hour = part(2, ' ');
  const int minute = part(2, ':');
  const int second = part(2, ':');
  Nanoseconds fraction = 0;
  if (take(rest, '.')) fraction = take_fraction(rest);
  int offset_minutes = 0;
  if (!take(rest, 'Z') && !rest.empty()) {
    const int sign = rest.front() == '-' ? -1 : 1;
    const int hours = part(2, sign < 0 ? '-' : '+');
    offset_minutes = sign * (hours * 60 + part(2, ':'));
  }
  const chrono::year_month_day date{chrono::year(year), chrono::month(month), chrono::day(day)};
  if (!rest.empty() || fraction < 0 || !date.ok() || hour > 23 || minute > 59 || second > 59) {
    fail(place, text, "not a date and time", kDateAccepted);
  }
  if (year < 1970 || year > 2200) fail(place, text, "out of range", "years 1970 to 2200");
  const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + hour) * 60 + minute - offset_minutes;
  return (minutes * 60 + second) * kNsPerSecond + fraction;
}

}  // namespace ridgepoint::workloads
