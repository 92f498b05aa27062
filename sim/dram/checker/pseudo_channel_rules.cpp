// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/pseudo_channel_rules.hpp"

namespace ridgepoint::dram::checker {

PseudoChannelRules::PseudoChannelRules(const Limits& limits)
    : groups_(static_cast<std::size_t>(limits.stack_ids * limits.bank_groups)),
      read_of_sid_(static_cast<std::size_t>(limits.stack_ids)),
      same_bank_of_sid_(static_cast<std::size_t>(limits.stack_ids)) {}

PseudoChannelRules::Group& PseudoChannelRules::group_of(const TraceCommand& command,
                                                        const Limits& limits) {
  return groups_[static_cast<std::size_t>(command.sid * limits.bank_groups + command.bg)];
}

void PseudoChannelRules::check(const TraceCommand& command, const Limits& limits, Report& report) {
  switch (command.command) {
    case Command::kAct:
    case Command::kRefPb:
      return activation(command, limits, report);
    case Command::kPre:
    case Command::kPreAb:
    case Command::kPreSb:
      return precharge(command, limits, report);
    case Command::kRefAb:
      return;
    case Command::kRefSb:
      return same_bank_refresh(command, limits, report);
    default:
      column(command, limits, report);
      data(command, limits, report);
  }
}

void PseudoChannelRules::activation(const TraceCommand& command, const Limits& limits,
                                    Report& report) {
  Group& group = group_of(command, limits);
  require(report, "tRRD_L", group.activated, limits.tRRD_L, command);
  require(report, "tRRD_S", activated_, limits.tRRD_S, command);
  require(report, "tRREFD", refreshed_bank_, limits.tRREFD, command);
  if (command.command == Command::kAct) {
    require(report, "tREFSBRD", same_bank_of_sid_[static_cast<std::size_t>(command.sid)],
            limits.tREFSBRD, command);
  }
  // Of any five in a row, the fifth comes tFAW after the first.
  require(report, "tFAW", activations_[oldest_], limits.tFAW, command);
  activations_[oldest_].set(command);
  oldest_ = (oldest_ + 1) % activations_.size();
  if (command.command == Command::kRefPb) {
    refreshed_bank_.set(command);
  } else {
    group.activated.set(command);
    activated_.set(command);
  }
}

void PseudoChannelRules::same_bank_refresh(const TraceCommand& command, const Limits& limits,
                                           Report& report) {
  // It has a bank in every group, and waits for an ACT in any of them like another ACT.
  for (std::int64_t bg = 0; bg < limits.bank_groups; ++bg) {
    require(report, "tRRD_L",
            groups_[static_cast<std::size_t>(command.sid * limits.bank_groups + bg)].activated,
            limits.tRRD_L, command);
  }
  Mark& last = same_bank_of_sid_[static_cast<std::size_t>(command.sid)];
  require(report, "tRFCsb", last, limits.tRFCsb, command);
  last.set(command);
}

void PseudoChannelRules::precharge(const TraceCommand& command, const Limits& limits,
                                   Report& report) {
  require(report, "tPPD", precharged_, limits.tPPD, command);
  precharged_.set(command);
}

void PseudoChannelRules::column(const TraceCommand& command, const Limits& limits, Report& report) {
  Group& group = group_of(command, limits);
  if (is_write(command.command)) {
    const bool own = limits.tCCD_L_WR > 0;
    require(report, own ? "tCCD_L_WR" : "tCCD_L", group.written,
            own ? limits.tCCD_L_WR : limits.tCCD_L, command);
    require(report, "tCCD_S", written_, limits.tCCD_S, command);
    require(report, "tRTW", read_, limits.tRTW, command);
    group.written.set(command);
    written_.set(command);
    return;
  }
  require(report, "tCCD_L", group.read, limits.tCCD_L, command);
  require(report, "tCCD_S", read_, limits.tCCD_S, command);
  for (std::size_t sid = 0; sid < read_of_sid_.size(); ++sid) {
    if (static_cast<int>(sid) == command.sid) continue;
    require(report, "tCCD_R", read_of_sid_[sid], limits.tCCD_R, command);
  }
  // The write-to-read times count from the end of the write's data.
  const Tick written_data = limits.tCWL + limits.tBURST;
  require(report, "tWTR_L", group.written, written_data + limits.tWTR_L, command);
  require(report, "tWTR_S", written_, written_data + limits.tWTR_S, command);
  group.read.set(command);
  read_.set(command);
  read_of_sid_[static_cast<std::size_t>(command.sid)].set(command);
}

void PseudoChannelRules::data(const TraceCommand& command, const Limits& limits, Report& report) {
  const Tick start = command.tick + (is_write(command.command) ? limits.tCWL : limits.tCL);
  if (data_end_.tick > start) {
    report.add("data bus", data_end_.command, command, data_end_.tick - start);
  }
  if (start + limits.tBURST > data_end_.tick) data_end_.set(command, start + limits.tBURST);
}

}  // namespace ridgepoint::dram::checker
