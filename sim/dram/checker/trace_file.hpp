// SPDX-License-Identifier: Apache-2.0
// Command traces as text, to read and to write.
//
//   # anything                                  comment, anywhere
//   standard HBM3                               header: the limits of a standard's default machine
//   tRP 52                                      header: one number of Limits by its name
//   0 0 ACT 0 0 1 2 17 -                        commands: tick channel command pc sid bg bank row
//   col 62 0 RD 0 0 1 2 17 5 end 12480                                   last line: all commands
//   before this tick are there
//
// The header comes before the first command; a later line replaces what an earlier one said. With
// `standard`, whether and how the memory is refreshed stays unknown (refresh 0) until a line says
// it. Fields are separated by blanks or tabs; '-' stands for a field that a command does not have.
// Commands are ACT PRE PREab PREsb RD WR RDA WRA REFab REFpb REFsb. PREab and REFab have pc and
// sid; PREsb and REFsb have bank too, and mean that bank of every group. The ticks of a channel
// never decrease; of two commands in one tick the first takes effect first. Channels are separate
// and may be mixed. `end` may be missing; then the refreshes that are due after the last command
// are not checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/core/text_lines.hpp"
#include "sim/dram/checker/checker.hpp"

namespace ridgepoint::dram::checker {

inline constexpr std::string_view kTraceOf = "# DRAM command trace of ";
inline constexpr std::string_view kTickIs = ", one tick is ";
std::string tick_text(double tick_ns);

// The header for these limits. `standard` only names it.
std::string trace_header(const Limits& limits, std::string_view standard, double tick_ns);
std::string trace_line(int channel, const TraceCommand& command);
std::string trace_end(Tick end);

// The memory that a trace is checked against.
struct Memory {
  Limits limits;
  std::string standard;
  double tick_ns = 0;
};

struct TraceResult {
  std::map<std::int64_t, Checker> channels;
  std::int64_t commands = 0;
};

// Reads a whole trace and checks each channel. `machine`: its limits replace the header's numbers;
// a header (or first comment, as trace_header() writes it) of another standard or tick is an error,
// for ticks would then be other times. `standard_limits`: what `standard NAME` stands for; it
// throws InputError for an unknown name. Throws InputError with file:line:column for text that is
// not as above; memory is independent of the trace's length.
TraceResult check_trace(core::TextLines lines, const Memory* machine,
                        Limits (*standard_limits)(const std::string& name));

// For check_trace(): the standard with everything at its default, and refresh unknown.
Limits limits_of_standard(const std::string& name);

}  // namespace ridgepoint::dram::checker
