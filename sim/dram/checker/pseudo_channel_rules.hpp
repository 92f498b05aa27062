// SPDX-License-Identifier: Apache-2.0
// The rules between banks of one pseudo-channel: activation rate, column spacing, the data bus.
#pragma once

#include <array>
#include <vector>

#include "sim/dram/checker/limits.hpp"
#include "sim/dram/checker/violation.hpp"

namespace ridgepoint::dram::checker {

class PseudoChannelRules {
 public:
  explicit PseudoChannelRules(const Limits& limits);
  void check(const TraceCommand& command, const Limits& limits, Report& report);

 private:
  struct Group {
    Mark activated, read, written;
  };
  // ACT and REFpb, which opens rows inside the device and counts like one.
  void activation(const TraceCommand& command, const Limits& limits, Report& report);
  void same_bank_refresh(const TraceCommand& command, const Limits& limits, Report& report);
  void precharge(const TraceCommand& command, const Limits& limits, Report& report);
  void column(const TraceCommand& command, const Limits& limits, Report& report);
  void data(const TraceCommand& command, const Limits& limits, Report& report);
  Group& group_of(const TraceCommand& command, const Limits& limits);

  std::vector<Group> groups_;  // of all stack ids
  std::vector<Mark> read_of_sid_;
  std::vector<Mark> same_bank_of_sid_;  // last REFsb
  std::array<Mark, 4> activations_;     // the last four, a ring
  std::size_t oldest_ = 0;
  Mark activated_, refreshed_bank_, precharged_, read_, written_;
  Mark data_end_;  // when the data bus is free again
};

}  // namespace ridgepoint::dram::checker
