// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/bank_rules.hpp"

#include <algorithm>

namespace ridgepoint::dram::checker {

void BankRules::check(const TraceCommand& command, const Limits& limits, Report& report) {
  switch (command.command) {
    case Command::kAct:
      return activate(command, limits, report);
    case Command::kRd:
    case Command::kWr:
    case Command::kRda:
    case Command::kWra:
      return access(command, limits, report);
    case Command::kPre:
    case Command::kPreAb:
    case Command::kPreSb:
      return precharge(command, limits, report);
    case Command::kRefAb:
    case Command::kRefPb:
    case Command::kRefSb:
      return refresh(command, limits, report);
  }
}

void BankRules::require_refreshed(const TraceCommand& command, const Limits& limits,
                                  Report& report) const {
  const Command last = refreshed_.command.command;
  const bool all = last == Command::kRefAb;
  const bool same = last == Command::kRefSb;
  require(report,
          all    ? "tRFC"
          : same ? "tRFCsb"
                 : "tRFCpb",
          refreshed_,
          all    ? limits.tRFC
          : same ? limits.tRFCsb
                 : limits.tRFCpb,
          command);
}

void BankRules::require_idle(const TraceCommand& command, const Limits& limits,
                             Report& report) const {
  require(report, "tRC", opened_, limits.tRC, command);
  const bool by_itself = auto_precharges(closed_.command.command);
  const bool all = closed_.command.command == Command::kPreAb && limits.tRPab > 0;
  require(report,
          by_itself ? "auto precharge"
          : all     ? "tRPab"
                    : "tRP",
          closed_, all ? limits.tRPab : limits.tRP, command);
  require_refreshed(command, limits, report);
}

void BankRules::activate(const TraceCommand& command, const Limits& limits, Report& report) {
  if (open_) report.add("ACT to an open bank", opened_.command, command, 0);
  require_idle(command, limits, report);
  open_ = true;
  row_ = command.row;
  opened_.set(command);
  read_ = data_written_ = Mark{};
}

void BankRules::access(const TraceCommand& command, const Limits& limits, Report& report) {
  const bool write = is_write(command.command);
  if (!open_) {
    std::optional<TraceCommand> closer;
    if (closed_.tick >= 0) closer = closed_.command;
    report.add("access to a closed bank", closer, command, 0);
  } else {
    if (row_ != command.row) report.add("access to another row", opened_.command, command, 0);
    require(report, write ? "tRCDWR" : "tRCDRD", opened_, write ? limits.tRCDWR : limits.tRCDRD,
            command);
  }
  if (write) data_written_.set(command, command.tick + limits.tCWL + limits.tBURST);
  if (!write) read_.set(command);
  if (!auto_precharges(command.command)) return;
  // The precharge starts by itself as soon as a PRE would be allowed.
  open_ = false;
  const Tick start = std::max(
      {opened_.tick + limits.tRAS, read_.tick + limits.tRTP, data_written_.tick + limits.tWR});
  closed_.set(command, start);
}

void BankRules::precharge(const TraceCommand& command, const Limits& limits, Report& report) {
  if (open_) {
    require(report, "tRAS", opened_, limits.tRAS, command);
    require(report, "tRTP", read_, limits.tRTP, command);
    require(report, "tWR", data_written_, limits.tWR, command);
  }
  require_refreshed(command, limits, report);
  open_ = false;
  // PRE to an idle bank is allowed and starts tRP again; a later auto precharge still counts.
  if (command.tick > closed_.tick) closed_.set(command);
}

void BankRules::refresh(const TraceCommand& command, const Limits& limits, Report& report) {
  if (open_) report.add("refresh of an open bank", opened_.command, command, 0);
  require_idle(command, limits, report);
  open_ = false;
  refreshed_.set(command);
}

}  // namespace ridgepoint::dram::checker
