// SPDX-License-Identifier: Apache-2.0
// The writing half of trace_file.hpp, where the format is described.
#include <array>
#include <charconv>

#include "sim/dram/checker/trace_file.hpp"

namespace ridgepoint::dram::checker {
namespace {

void append(std::string& text, std::int64_t value) {
  text += ' ';
  if (value < 0) {
    text += '-';
    return;
  }
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end.ptr);
}

}  // namespace

std::string tick_text(double tick_ns) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), tick_ns);
  return {digits.data(), end.ptr};
}

std::string trace_header(const Limits& limits, std::string_view standard, double tick_ns) {
  std::string text = std::string(kTraceOf) + std::string(standard) + std::string(kTickIs) +
                     tick_text(tick_ns) + " ns\n";
  for (const LimitName& one : limit_names()) {
    text += one.name;
    append(text, limits.*one.value);
    text += '\n';
  }
  return text + "# tick channel command pc sid bg bank row col\n";
}

std::string trace_line(int channel, const TraceCommand& command) {
  std::string text = std::to_string(command.tick);
  append(text, channel);
  text += ' ';
  text += name_of(command.command);
  append(text, command.pc);
  append(text, command.sid);
  append(text, command.bg);
  append(text, command.bank);
  append(text, command.row);
  append(text, command.column);
  return text + '\n';
}

std::string trace_end(Tick end) { return "end " + std::to_string(end) + '\n'; }

}  // namespace ridgepoint::dram::checker
