// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/checker.hpp"

#include <algorithm>

namespace ridgepoint::dram::checker {
namespace {

bool within(std::int64_t value, std::int64_t count) { return value >= 0 && value < count; }

}  // namespace

Checker::Checker(const Limits& limits) : limits_(limits) {
  validate(limits);
  banks_.resize(static_cast<std::size_t>(limits.pseudo_channels * limits.stack_ids *
                                         limits.bank_groups * limits.banks));
  for (int pc = 0; pc < limits.pseudo_channels; ++pc) {
    pseudo_channels_.emplace_back(limits);
    refresh_.emplace_back(limits);
  }
}

bool Checker::has_address(const TraceCommand& command) const {
  if (!within(command.pc, limits_.pseudo_channels) || !within(command.sid, limits_.stack_ids)) {
    return false;
  }
  if (addresses_stack_id(command.command)) return true;
  if (!within(command.bank, limits_.banks)) return false;
  if (addresses_same_bank(command.command)) return true;
  if (!within(command.bg, limits_.bank_groups)) return false;
  const bool column = is_column(command.command);
  if ((column || command.command == Command::kAct) && !within(command.row, limits_.rows)) {
    return false;
  }
  return !column || within(command.column, limits_.columns);
}

void Checker::check(const TraceCommand& command) {
  if (command.tick < last_.tick) {
    report_.add("order of time", last_.command, command, last_.tick - command.tick);
  }
  if (command.tick >= last_.tick) last_.set(command);
  ++commands_;
  if (!has_address(command)) {
    report_.add("address", std::nullopt, command, 0);
    return;
  }
  check_clock(command);
  check_bus(command);
  check_banks(command);
  const auto pc = static_cast<std::size_t>(command.pc);
  pseudo_channels_[pc].check(command, limits_, report_);
  refresh_[pc].check(command, limits_, report_);
}

void Checker::check_clock(const TraceCommand& command) {
  const Tick grid = is_column(command.command)         ? limits_.column_grid
                    : command.command == Command::kAct ? limits_.act_grid
                                                       : limits_.row_grid;
  const Tick past = command.tick % grid;
  if (past != 0) report_.add("clock edge", std::nullopt, command, grid - past);
}

void Checker::check_bus(const TraceCommand& command) {
  const bool column = is_column(command.command);
  const bool shared = limits_.shared_bus != 0;
  Mark& free = column && !shared ? column_bus_free_ : row_bus_free_;
  if (free.tick > command.tick) {
    report_.add(shared   ? "command bus"
                : column ? "column command bus"
                         : "row command bus",
                free.command, command, free.tick - command.tick);
  }
  const Tick width = column                             ? limits_.column_bus
                     : command.command == Command::kAct ? limits_.act_bus
                                                        : limits_.row_bus;
  free.set(command, std::max(free.tick, command.tick + width));
}

void Checker::check_banks(const TraceCommand& command) {
  const std::int64_t per_sid = limits_.bank_groups * limits_.banks;
  std::int64_t first = (command.pc * limits_.stack_ids + command.sid) * per_sid;
  std::int64_t count = per_sid, stride = 1;
  if (addresses_same_bank(command.command)) {
    first += command.bank;
    count = limits_.bank_groups;
    stride = limits_.banks;
  } else if (!addresses_stack_id(command.command)) {
    first += command.bg * limits_.banks + command.bank;
    count = 1;
  }
  for (std::int64_t n = 0; n < count; ++n) {
    banks_[static_cast<std::size_t>(first + n * stride)].check(command, limits_, report_);
  }
}

void Checker::finish(Tick end) {
  for (RefreshRules& rules : refresh_) rules.finish(end, limits_, report_);
}

}  // namespace ridgepoint::dram::checker
