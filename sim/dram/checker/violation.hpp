// SPDX-License-Identifier: Apache-2.0
// A command as a trace holds it, and what can be wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/dram/command.hpp"

namespace ridgepoint::dram::checker {

struct TraceCommand {
  core::Cycle tick = 0;
  Command command = Command::kAct;
  int pc = 0;
  int sid = 0;
  int bg = -1;  // -1: the command has no such field
  int bank = -1;
  std::int64_t row = -1;
  int column = -1;
  friend bool operator==(const TraceCommand&, const TraceCommand&) = default;
};
// "120 RD pc 0 sid 0 bg 1 bank 2 row 17 col 3"
std::string text_of(const TraceCommand& command);

struct Violation {
  std::string_view rule;                // static text: the timing's JEDEC name, or a few words
  std::optional<TraceCommand> earlier;  // none: there is no such command
  std::optional<TraceCommand> later;    // none: the trace ended without it
  core::Cycle missing = 0;              // ticks by which it came too early (refresh: too late)
  std::int64_t count = 1;               // of this rule; the commands are those of the first
};

// Collects the first violation of every rule, in order of detection.
class Report {
 public:
  void add(std::string_view rule, const std::optional<TraceCommand>& earlier,
           const std::optional<TraceCommand>& later, core::Cycle missing);
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

// The last command of some kind, and the time from which its distance counts.
struct Mark {
  core::Cycle tick = -(core::Cycle{1} << 60);
  TraceCommand command;

  void set(const TraceCommand& at, core::Cycle from) { tick = from, command = at; }
  void set(const TraceCommand& at) { set(at, at.tick); }
};

// `later` must come at least `distance` after `mark`; a distance of 0 never fails.
inline void require(Report& report, std::string_view rule, const Mark& mark, core::Cycle distance,
                    const TraceCommand& later) {
  const core::Cycle missing = mark.tick + distance - later.tick;
  if (distance > 0 && missing > 0) report.add(rule, mark.command, later, missing);
}

}  // namespace ridgepoint::dram::checker
