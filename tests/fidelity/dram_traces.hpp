// SPDX-License-Identifier: Apache-2.0
// Command traces of one channel under named patterns, and what the independent checker says.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sim/dram/checker/checker.hpp"
#include "tests/dram/support.hpp"

namespace ridgepoint::dram::testing {

inline checker::TraceCommand traced(const IssuedCommand& issued) {
  return {issued.tick, issued.command, issued.pc,  issued.sid,
          issued.bg,   issued.bank,    issued.row, issued.column};
}

inline Pattern with_writes(Pattern pattern, std::size_t every) {
  for (std::size_t i = every - 1; i < pattern.size(); i += every) pattern[i].is_write = true;
  return pattern;
}

// The patterns that traces are made of; `bytes` reach all channels together.
inline Pattern named_pattern(const std::string& name, std::uint64_t bytes) {
  constexpr std::uint64_t kSpace = std::uint64_t{1} << 32;
  if (name == "sequential") return sequential(bytes, 4096);
  if (name == "random") return uniform(bytes / 64, kSpace, 64, 7);
  if (name == "mixed") return with_writes(uniform(bytes / 64, kSpace, 64, 11), 2);
  if (name == "stream_mix") return sequential(bytes, 256, 3);
  if (name == "strided") return strided(bytes / 64, 4096, 64);
  return paged(16, 32768, 256, bytes, kSpace, 3);
}

struct Traced {
  std::vector<checker::TraceCommand> commands;
  Tick end = 0;
};

// Channel 0 with its part of the pattern; requests arrive `gap` apart, and time goes on for `idle`
// after the last one is done.
inline Traced trace_of(std::shared_ptr<const Spec> spec, const Pattern& pattern,
                       core::Femtoseconds gap = 0, core::Femtoseconds idle = 10'000'000'000) {
  std::vector<core::MemoryRequest> requests = requests_of(*spec, pattern, 0);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].arrival = gap * static_cast<core::Femtoseconds>(i);
  }
  const auto channel = make_channel(spec, 0);
  Traced traced_run;
  channel->observe(
      [&](const IssuedCommand& issued) { traced_run.commands.push_back(traced(issued)); });
  for (const core::MemoryRequest& request : requests) channel->submit(request);
  core::Femtoseconds now = 0;
  std::vector<core::MemoryEvent> done;
  while (done.size() < requests.size()) {
    now += 1'000'000'000;
    channel->advance(now);
    channel->take_completed(done);
    if (now > core::kFsPerSecond) throw std::runtime_error("the channel does not finish");
  }
  channel->advance(now + idle);
  traced_run.end = spec->tick_clock.first_cycle_at_or_after(now + idle);
  return traced_run;
}

inline checker::Checker checked(const checker::Limits& limits, const Traced& trace) {
  checker::Checker checker(limits);
  for (const checker::TraceCommand& command : trace.commands) checker.check(command);
  checker.finish(trace.end);
  return checker;
}

inline std::string text_of(const std::vector<checker::Violation>& violations) {
  std::string text;
  for (const checker::Violation& one : violations) {
    text += std::string(one.rule) + " x" + std::to_string(one.count) + ", missing " +
            std::to_string(one.missing);
    if (one.earlier) text += ": " + checker::text_of(*one.earlier);
    if (one.later) text += " -> " + checker::text_of(*one.later);
    text += '\n';
  }
  return text;
}

inline bool breaks(const checker::Checker& checker, std::string_view rule) {
  return std::any_of(checker.violations().begin(), checker.violations().end(),
                     [&](const checker::Violation& one) { return one.rule == rule; });
}

}  // namespace ridgepoint::dram::testing
