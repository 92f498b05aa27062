// SPDX-License-Identifier: Apache-2.0
// The rules within one bank: what is open in it, and how long activation, precharge and refresh
// take. A bank knows nothing of its neighbours.
#pragma once

#include "sim/dram/checker/limits.hpp"
#include "sim/dram/checker/violation.hpp"

namespace ridgepoint::dram::checker {

class BankRules {
 public:
  // Any command that addresses this bank, alone or with others.
  void check(const TraceCommand& command, const Limits& limits, Report& report);

 private:
  void activate(const TraceCommand& command, const Limits& limits, Report& report);
  void access(const TraceCommand& command, const Limits& limits, Report& report);
  void precharge(const TraceCommand& command, const Limits& limits, Report& report);
  void refresh(const TraceCommand& command, const Limits& limits, Report& report);
  // What both ACT and a refresh wait for: the bank is precharged and not refreshing.
  void require_idle(const TraceCommand& command, const Limits& limits, Report& report) const;
  void require_refreshed(const TraceCommand& command, const Limits& limits, Report& report) const;

  bool open_ = false;
  std::int64_t row_ = 0;
  Mark opened_;               // last ACT
  Mark closed_;               // start of the last precharge; closed_.command: what caused it
  Mark read_, data_written_;  // since ACT: last read; end of the last write's data
  Mark refreshed_;            // last REFab, REFpb or REFsb
};

}  // namespace ridgepoint::dram::checker
