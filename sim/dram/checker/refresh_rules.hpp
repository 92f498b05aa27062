// SPDX-License-Identifier: Apache-2.0
// The refresh rate of one pseudo-channel: never too many owed, never far ahead, and bank by bank in
// whole rounds. One refresh of a stack id (or rank) becomes due every interval, from the first
// interval's end; the stack ids do not share a count, because their banks do not share a refresh.
#pragma once

#include <vector>

#include "sim/dram/checker/limits.hpp"
#include "sim/dram/checker/violation.hpp"

namespace ridgepoint::dram::checker {

class RefreshRules {
 public:
  explicit RefreshRules(const Limits& limits);
  void check(const TraceCommand& command, const Limits& limits, Report& report);
  // The trace ends before tick `end`.
  void finish(Tick end, const Limits& limits, Report& report);

 private:
  struct Unit {  // a stack id
    std::int64_t issued = 0;
    bool reported = false;  // late; once is enough until it has caught up
    Mark last;
  };
  std::int64_t due(Tick tick) const;
  Tick due_tick(std::int64_t index) const;
  void require_not_late(Unit& unit, Tick now, const std::optional<TraceCommand>& command,
                        const Limits& limits, Report& report) const;
  void check_round(const TraceCommand& command, const Limits& limits, Report& report);

  Tick interval_;
  std::int64_t turns_;  // refreshes of a stack id per interval
  std::vector<Unit> units_;
  std::vector<std::int64_t> rounds_;  // REFpb that each bank, or REFsb that each turn, has had
};

}  // namespace ridgepoint::dram::checker
