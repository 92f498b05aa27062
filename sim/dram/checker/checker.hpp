// SPDX-License-Identifier: Apache-2.0
// Reads the commands of one DRAM channel and says which rules of its standard they break. Written
// from the rules as JEDEC's standards define them for each kind of memory, and independent of the
// controllers: it shares with them the names of commands and the numbers in Limits, nothing else.
#pragma once

#include <vector>

#include "sim/dram/checker/bank_rules.hpp"
#include "sim/dram/checker/limits.hpp"
#include "sim/dram/checker/pseudo_channel_rules.hpp"
#include "sim/dram/checker/refresh_rules.hpp"
#include "sim/dram/checker/violation.hpp"

namespace ridgepoint::dram::checker {

class Checker {
 public:
  // Throws InputError if the limits make no sense.
  explicit Checker(const Limits& limits);

  // Commands in order of tick; of two in one tick, the first takes effect first. A command whose
  // fields do not exist in the channel breaks the rule "address" and is otherwise skipped.
  void check(const TraceCommand& command);
  // All commands before tick `end` have been given; call once.
  void finish(Tick end);

  const std::vector<Violation>& violations() const { return report_.violations(); }
  bool clean() const { return violations().empty(); }
  std::int64_t commands() const { return commands_; }
  Tick last_tick() const { return last_.tick; }

 private:
  bool has_address(const TraceCommand& command) const;
  void check_clock(const TraceCommand& command);
  void check_bus(const TraceCommand& command);
  void check_banks(const TraceCommand& command);

  Limits limits_;
  Report report_;
  std::vector<BankRules> banks_;  // of all pseudo-channels
  std::vector<PseudoChannelRules> pseudo_channels_;
  std::vector<RefreshRules> refresh_;
  Mark row_bus_free_, column_bus_free_;
  Mark last_;
  std::int64_t commands_ = 0;
};

}  // namespace ridgepoint::dram::checker
