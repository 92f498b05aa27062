// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/violation.hpp"

namespace ridgepoint::dram::checker {

std::string text_of(const TraceCommand& command) {
  std::string text = std::to_string(command.tick) + ' ' + std::string(name_of(command.command)) +
                     " pc " + std::to_string(command.pc) + " sid " + std::to_string(command.sid);
  const auto add = [&](const char* name, std::int64_t value) {
    if (value >= 0) text += std::string(" ") + name + ' ' + std::to_string(value);
  };
  add("bg", command.bg);
  add("bank", command.bank);
  add("row", command.row);
  add("col", command.column);
  return text;
}

void Report::add(std::string_view rule, const std::optional<TraceCommand>& earlier,
                 const std::optional<TraceCommand>& later, core::Cycle missing) {
  for (Violation& one : violations_) {
    if (one.rule != rule) continue;
    ++one.count;
    return;
  }
  violations_.push_back({rule, earlier, later, missing, 1});
}

}  // namespace ridgepoint::dram::checker
