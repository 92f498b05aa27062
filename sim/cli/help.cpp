// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/help.hpp"

#include <algorithm>

#include "sim/config/build_info.hpp"
#include "sim/config/option_table.hpp"

namespace ridgepoint::cli {
namespace {

constexpr std::size_t kWidth = 100;

// Words of `text`, broken so that lines end before kWidth; later lines are indented.
std::string wrapped(const std::string& text, std::size_t column, std::size_t indent) {
  std::string out;
  for (const std::string& word : config::split_words(text, ' ')) {
    if (column + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ') + word;
      column = indent + word.size();
    } else {
      out += (out.empty() ? "" : " ") + word;
      column += word.size() + (out.size() == word.size() ? 0 : 1);
    }
  }
  return out;
}

// "  --flag VALUE   description": the description starts at `indent`, or on the next line.
std::string entry(const std::string& head, const std::string& description, std::size_t indent) {
  std::string line = "  " + head;
  if (line.size() + 2 > indent) {
    line += '\n' + std::string(indent, ' ');
  } else {
    line += std::string(indent - line.size(), ' ');
  }
  return line + wrapped(description, indent, indent) + '\n';
}

}  // namespace

std::string option_head(const config::OptionRow& row) {
  using enum config::OptionType;
  const std::string flag = config::flag_of(row);
  switch (row.type) {
    case kSwitch:
      return row.fallback == "true" ? flag + "[=false]" : flag;
    case kInteger:
      return flag + " N";
    case kReal:
      return flag + " X";
    case kChoice:
      return flag + " NAME";
    case kText:
      break;
  }
  return flag + (row.unit.starts_with("path") ? " PATH" : " NAME");
}

std::string option_description(const config::OptionRow& row) {
  std::string text(row.help);
  if (row.type != config::OptionType::kSwitch) {
    const std::string accepted = config::accepted_text(row);
    if (accepted != "text") text += "; " + accepted;
  }
  if (!row.fallback.empty()) text += " [" + std::string(row.fallback) + ']';
  return text;
}

std::string overview_help() {
  std::string text =
      "ridgepoint: language-model inference on a cycle-level accelerator with HBM\n\n"
      "usage: ridgepoint SUBCOMMAND [options]\n"
      "       ridgepoint SUBCOMMAND --help\n"
      "       ridgepoint --version\n\nsubcommands:\n";
  for (const Subcommand& one : subcommands()) {
    text += entry(std::string(one.name), std::string(one.summary), 14);
  }
  text +=
      "\nTables are CSV, on standard output or in --csv FILE; everything else is on standard "
      "error.\n"
      "exit codes: 0 ok, 1 a check or a point failed, 2 usage or bad input, 3 simulation error\n";
  return text;
}

std::string subcommand_help(const Subcommand& subcommand) {
  static constexpr std::size_t kIndent = 34;
  std::string text = "ridgepoint " + std::string(subcommand.name) + ": " +
                     std::string(subcommand.summary) + "\n\nusage: ridgepoint " +
                     std::string(subcommand.name) + " [options]";
  if (!subcommand.positionals.empty()) text += ' ' + std::string(subcommand.positionals);
  text += '\n';
  if (!subcommand.details.empty()) {
    text += '\n' + wrapped(std::string(subcommand.details), 0, 0) + '\n';
  }
  for (const config::OptionGroup& group : config::option_groups()) {
    std::string entries;
    for (const config::OptionRow& row : group.rows) {
      const config::OptionRef option = config::find_option(row.key);
      if (!config::used_by(option, subcommand.name)) continue;
      entries += entry(option_head(row), option_description(row), kIndent);
    }
    if (entries.empty()) continue;
    text += '\n' + std::string(group.title);
    if (group.machine) text += " (set by --machine; each can be set alone)";
    text += ":\n" + entries;
  }
  if (!config::used_by(config::find_option("general.config"), subcommand.name)) {
    return text + "\nValues in [] are defaults.\n";
  }
  text +=
      "\nValues in [] are defaults. Every option is also an INI key, `[section] name = value`, "
      "for\n"
      "--config, and an axis of sweep: see 'ridgepoint list options'.\n";
  return text;
}

std::string version_text() {
  const config::BuildInfo& info = config::build_info();
  const auto line = [](std::string_view name, std::string_view value) {
    return std::string(name) + ' ' + std::string(value) + '\n';
  };
  return line("ridgepoint", info.version) + line("  commit  ", info.git_commit) +
         line("  compiler", info.compiler) + line("  flags   ", info.flags) +
         line("  SystemC ", info.systemc) + line("  Boost   ", info.boost);
}

}  // namespace ridgepoint::cli
