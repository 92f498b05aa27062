// SPDX-License-Identifier: Apache-2.0
#include "sim/config/read_options.hpp"

#include <algorithm>
#include <set>

#include "sim/config/assignment.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/suggest.hpp"

namespace ridgepoint::config {
namespace {

enum class Source { kFlags, kConfig, kMachine };

std::vector<std::string> names_for(std::string_view subcommand, Source source) {
  std::vector<std::string> names;
  for (const OptionRef& option : all_options()) {
    const bool fits =
        source == Source::kMachine ? option.group->machine : used_by(option, subcommand);
    if (!fits) continue;
    if (source == Source::kFlags && !option.row->flag.empty()) {
      names.push_back(flag_of(*option.row));
    }
    names.push_back((source == Source::kFlags ? "--" : "") + std::string(option.row->key));
  }
  return names;
}

[[noreturn]] void fail_unknown(const Assignment& given, std::string_view subcommand, Source source,
                               const std::string& what) {
  const std::string shown = (source == Source::kFlags ? "--" : "") + given.name;
  const std::string rest = source == Source::kMachine
                               ? "the keys of the sections machine, core, shared, fabric, host, hbm"
                               : "see 'ridgepoint " + std::string(subcommand) + " --help'";
  core::fail_input(given.where, shown, "",
                   with_suggestion(what, shown, names_for(subcommand, source)), rest);
}

OptionRef resolve(const Assignment& given, std::string_view subcommand, Source source) {
  const OptionRef option = find_option(given.name);
  if (source == Source::kMachine) {
    if (!option || !option.group->machine || option.row->key != given.name) {
      fail_unknown(given, subcommand, source, "is no key of a machine");
    }
    return option;
  }
  if (!option) fail_unknown(given, subcommand, source, "is unknown");
  if (!used_by(option, subcommand)) {
    fail_unknown(given, subcommand, source,
                 "is not an option of '" + std::string(subcommand) + '\'');
  }
  return option;
}

// One source; within it a second value for the same option is an error.
void apply(OptionsBuilder& builder, std::span<const Assignment> given, std::string_view subcommand,
           Source source) {
  std::set<std::size_t> seen;
  for (const Assignment& one : given) {
    const OptionRef option = resolve(one, subcommand, source);
    builder.set(option, one.value, one.where);
    // A machine and its bases may each set a key; parse_ini() rejects a second one in one file.
    const bool many = source == Source::kMachine || option.row->repeated;
    if (!seen.insert(option.index).second && !many) {
      const std::string shown = source == Source::kFlags ? flag_of(*option.row) : one.name;
      core::fail_input(one.where, shown, one.value, "is given twice", "each option once");
    }
  }
}

// Every key of a machine as these lines and the defaults set it.
std::vector<std::string> machine_values(std::span<const Assignment> lines) {
  OptionsBuilder builder;
  for (const Assignment& one : lines) builder.set(find_option(one.name), one.value, one.where);
  std::vector<std::string> values;
  for (const OptionRef& option : all_options()) {
    if (!option.group->machine) continue;
    if (!builder.is_set(option) && !option.row->fallback.empty()) {
      builder.set(option, std::string(option.row->fallback), {});
    }
    values.push_back(builder.so_far().text(option.row->key));
  }
  return values;
}

// Tables know a machine by its name: a file that takes a preset's must be that preset.
void check_name(const std::string& file, std::span<const Assignment> lines) {
  const auto named = std::find_if(lines.begin(), lines.end(),
                                  [](const Assignment& one) { return one.name == "machine.name"; });
  const auto presets = machine_presets();
  const bool taken = std::any_of(presets.begin(), presets.end(), [&](const MachinePreset& one) {
    return one.name == named->value && one.name != file;
  });
  if (!taken) return;
  const std::vector<std::string> mine = machine_values(lines);
  const std::vector<std::string> theirs =
      machine_values(read_machine(named->value, named->where, named->name));
  std::size_t at = 0;
  for (const OptionRef& option : all_options()) {
    if (!option.group->machine) continue;
    if (mine[at] != theirs[at] && option.row->key != "machine.base") {
      core::fail_input(named->where, named->name, named->value,
                       "is a preset, which differs: its " + std::string(option.row->key) + " is '" +
                           theirs[at] + "', not '" + mine[at] + '\'',
                       "a name of its own");
    }
    ++at;
  }
}

void apply_machine(OptionsBuilder& builder, std::string_view subcommand) {
  const OptionRef machine = find_option("run.machine");
  if (!used_by(machine, subcommand)) return;
  if (!builder.is_set(machine)) {
    apply(builder, read_machine(std::string(machine.row->fallback), {}, flag_of(*machine.row)),
          subcommand, Source::kMachine);
    return;
  }
  const Options& so_far = builder.so_far();
  const Origin& origin = so_far.origin("run.machine");
  const std::string shown =
      origin.kind == Origin::Kind::kFile ? std::string(machine.row->key) : flag_of(*machine.row);
  const std::string name = so_far.text("run.machine");
  const std::vector<Assignment> lines = read_machine(name, origin.where, shown);
  apply(builder, lines, subcommand, Source::kMachine);
  check_name(name, lines);
}

}  // namespace

Reading read_options(const Request& request) {
  CommandLine line = parse_command_line(request.arguments);
  std::vector<Assignment> others;
  if (request.pass_others) {
    const auto mine =
        std::stable_partition(line.flags.begin(), line.flags.end(), [&](const Assignment& flag) {
          const OptionRef option = find_option(flag.name);
          return !option || used_by(option, request.subcommand);
        });
    others.assign(mine, line.flags.end());
    line.flags.erase(mine, line.flags.end());
  }
  OptionsBuilder builder;
  apply(builder, line.flags, request.subcommand, Source::kFlags);
  if (line.positionals.size() > request.most_positionals) {
    core::fail_input({}, "", line.positionals[request.most_positionals],
                     "is an unexpected argument",
                     "see 'ridgepoint " + std::string(request.subcommand) + " --help'");
  }
  const OptionRef config = find_option("general.config");
  if (builder.is_set(config)) {
    const std::string path = builder.so_far().text("general.config");
    apply(builder, read_ini(path), request.subcommand, Source::kConfig);
  }
  apply_machine(builder, request.subcommand);
  return {builder.finish(request.subcommand), std::move(line.positionals), std::move(others)};
}

}  // namespace ridgepoint::config
