// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/refresh_rules.hpp"

#include <algorithm>

namespace ridgepoint::dram::checker {
namespace {

constexpr std::int64_t kMostAhead = 8;  // JEDEC: refreshes that may be pulled in

}  // namespace

RefreshRules::RefreshRules(const Limits& limits)
    : interval_(limits.refresh == 3 ? limits.tREFI2 : limits.tREFI),
      turns_(limits.refresh == 2   ? limits.bank_groups * limits.banks
             : limits.refresh == 3 ? limits.banks
                                   : 1),
      units_(static_cast<std::size_t>(limits.stack_ids)),
      rounds_(static_cast<std::size_t>(limits.stack_ids * turns_)) {}

std::int64_t RefreshRules::due(Tick tick) const {
  // The last index whose due_tick() is not after `tick`.
  std::int64_t index = tick / interval_ * turns_ + tick % interval_ * turns_ / interval_;
  while (due_tick(index + 1) <= tick) ++index;
  return index;
}

Tick RefreshRules::due_tick(std::int64_t index) const {
  return index / turns_ * interval_ + index % turns_ * interval_ / turns_;
}

// One may be on its way while `postponed` more are owed: when yet another becomes due, it is late.
void RefreshRules::require_not_late(Unit& unit, Tick now,
                                    const std::optional<TraceCommand>& command,
                                    const Limits& limits, Report& report) const {
  const Tick latest = due_tick(unit.issued + limits.postponed + 2) - 1;
  if (now <= latest) {
    unit.reported = false;
    return;
  }
  if (unit.reported) return;
  unit.reported = true;
  std::optional<TraceCommand> last;
  if (unit.issued > 0) last = unit.last.command;
  report.add(limits.refresh == 3 ? "tREFI2" : "tREFI", last, command, now - latest);
}

void RefreshRules::check_round(const TraceCommand& command, const Limits& limits, Report& report) {
  const auto first = rounds_.begin() + command.sid * turns_;
  const std::int64_t group = limits.refresh == 2 ? command.bg : 0;
  std::int64_t& mine = *(first + group * limits.banks + command.bank);
  if (mine > *std::min_element(first, first + turns_)) {
    report.add(limits.refresh == 2 ? "REFpb twice in a round" : "REFsb twice in a round",
               units_[static_cast<std::size_t>(command.sid)].last.command, command, 0);
  }
  ++mine;
}

void RefreshRules::check(const TraceCommand& command, const Limits& limits, Report& report) {
  if (limits.refresh == 0) return;
  const Command wanted = limits.refresh == 1   ? Command::kRefAb
                         : limits.refresh == 2 ? Command::kRefPb
                                               : Command::kRefSb;
  if (command.command != wanted) return;
  Unit& unit = units_[static_cast<std::size_t>(command.sid)];
  require_not_late(unit, command.tick, command, limits, report);
  if (unit.issued + 1 > due(command.tick) + kMostAhead) {
    report.add("refresh too far ahead", unit.last.command, command,
               due_tick(unit.issued + 1 - kMostAhead) - command.tick);
  }
  if (turns_ > 1) check_round(command, limits, report);
  ++unit.issued;
  unit.last.set(command);
}

void RefreshRules::finish(Tick end, const Limits& limits, Report& report) {
  if (limits.refresh == 0) return;
  for (Unit& unit : units_) require_not_late(unit, end, std::nullopt, limits, report);
}

}  // namespace ridgepoint::dram::checker
