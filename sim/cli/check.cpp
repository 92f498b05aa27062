// SPDX-License-Identifier: Apache-2.0
// check: reads a DRAM command trace and lists the rules that it breaks.
#include <optional>

#include "results/csv_writer.hpp"
#include "results/text_table.hpp"
#include "sim/cli/commands.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/dram/checker/trace_file.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::cli {
namespace {

using dram::checker::TraceResult;
using dram::checker::Violation;

// True if flags or --config say which memory it is: by the machine, or a key of its own.
bool names_memory(const config::Options& options) {
  using enum config::Origin::Kind;
  if (options.origin("run.machine").kind != kDefault) return true;
  const std::string& file = options.text("general.config");
  for (const config::OptionRef& option : config::all_options()) {
    if (!option.row->key.starts_with("hbm.")) continue;
    const config::Origin& origin = options.origin(option.row->key);
    if (origin.kind == kFlag || (origin.kind == kFile && origin.where.file == file)) return true;
  }
  return false;
}

// With --machine its numbers hold, otherwise the header's.
std::optional<dram::checker::Memory> memory_of(const config::Options& options) {
  if (!names_memory(options)) return std::nullopt;
  const dram::Spec spec = dram::resolve(config::dram_config(options));
  return dram::checker::Memory{dram::checker::limits_of(spec), std::string(spec.standard->name),
                               spec.tick_clock.period_ns()};
}

std::string command_text(const std::optional<dram::checker::TraceCommand>& command) {
  return command ? dram::checker::text_of(*command) : std::string();
}

}  // namespace

int check_command(const Context& context) {
  const config::Options& options = context.options;
  const std::optional<dram::checker::Memory> memory = memory_of(options);
  const TraceResult result =
      dram::checker::check_trace(core::TextLines(options.text("check.dram_trace")),
                                 memory ? &*memory : nullptr, &dram::checker::limits_of_standard);
  const results::TextRow header{"channel", "rule", "violations_count", "missing_ticks_count",
                                "earlier", "later"};
  std::vector<results::TextRow> rows;
  for (const auto& [channel, checker] : result.channels) {
    for (const Violation& one : checker.violations()) {
      rows.push_back({std::to_string(channel), std::string(one.rule), std::to_string(one.count),
                      std::to_string(one.missing), command_text(one.earlier),
                      command_text(one.later)});
    }
  }
  results::TableWriter writer(header, options.text("general.csv"), context.out);
  for (const results::TextRow& row : rows) writer.add(row);
  writer.finish();
  const std::string counts = std::to_string(result.commands) + " commands of " +
                             std::to_string(result.channels.size()) + " channels: ";
  context.say(counts + (rows.empty()
                            ? "no rule is broken"
                            : std::to_string(rows.size()) +
                                  " rules broken (by channel), first violation of each:\n" +
                                  results::aligned_table(header, rows)));
  return rows.empty() ? 0 : 1;
}

}  // namespace ridgepoint::cli
