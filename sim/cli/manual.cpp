// SPDX-License-Identifier: Apache-2.0
// The manual page, in roff.
#include "sim/cli/docs.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/subcommands.hpp"
#include "sim/config/build_info.hpp"
#include "sim/config/option_table.hpp"

namespace ridgepoint::cli {
namespace {

// Text that roff takes literally: hyphens are minus signs, and no line starts with a control.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string paragraph(std::string_view head, std::string_view body) {
  return ".TP\n.B " + roff(head) + '\n' + roff(body) + '\n';
}

std::string options_of(std::string_view subcommand) {
  std::string text;
  for (const config::OptionRef& option : config::all_options()) {
    if (!config::used_by(option, subcommand) || option.group->machine) continue;
    text += paragraph(option_head(*option.row), option_description(*option.row));
  }
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text =
      "."
      "\\\" SPDX-License-Identifier: Apache-2.0\n"
      ".\\\" Written by `ridgepoint docs man`.\n"
      ".TH RIDGEPOINT 1 \"\" \"ridgepoint " +
      std::string(config::build_info().version) +
      "\" \"User Commands\"\n.SH NAME\n"
      "ridgepoint \\- language\\-model inference on a cycle\\-level accelerator with HBM\n"
      ".SH SYNOPSIS\n.B ridgepoint\n.I subcommand\n[options]\n.SH SUBCOMMANDS\n";
  for (const Subcommand& one : subcommands()) {
    text +=
        ".SS " + roff(std::string(one.name) + " [options] " + std::string(one.positionals)) + '\n';
    text += roff(std::string(one.summary) + '.') + '\n';
    if (!one.details.empty()) text += ".PP\n" + roff(one.details) + '\n';
    text += options_of(one.name);
  }
  text +=
      ".SH MACHINE OPTIONS\nKeys of a machine file; each is also an option of the subcommands that "
      "simulate.\n";
  for (const config::OptionRef& option : config::all_options()) {
    if (!option.group->machine) continue;
    text += paragraph(option_head(*option.row), option_description(*option.row));
  }
  text += ".SH EXIT STATUS\n" + paragraph("0", "success") +
          paragraph("1", "a check or a point failed") + paragraph("2", "usage or bad input") +
          paragraph("3", "the simulation could not go on");
  return text;
}

}  // namespace ridgepoint::cli
