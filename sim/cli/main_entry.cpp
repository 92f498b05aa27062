// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/main_entry.hpp"

#include <algorithm>
#include <exception>

#include "sim/cli/help.hpp"
#include "sim/cli/output_paths.hpp"
#include "sim/cli/subcommands.hpp"
#include "sim/config/needs.hpp"
#include "sim/config/read_options.hpp"
#include "sim/config/suggest.hpp"
#include "sim/core/error.hpp"
#include "sim/core/utf8.hpp"

namespace ridgepoint::cli {
namespace {

bool asks_for_help(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end,
                     [](const std::string& one) { return one == "--help" || one == "-h"; });
}

int dispatch(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  if (arguments.empty()) {
    throw core::InputError("no subcommand; see 'ridgepoint --help'");
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    out << overview_help();
    return kOk;
  }
  if (name == "--version") {
    out << version_text();
    return kOk;
  }
  const Subcommand* const subcommand = find_subcommand(name);
  if (subcommand == nullptr) {
    const std::vector<std::string> names = subcommand_names();
    std::string all;
    for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
    core::fail_input({}, "", name, config::with_suggestion("is no subcommand", name, names), all);
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (asks_for_help(rest)) {
    out << subcommand_help(*subcommand);
    return kOk;
  }
  const config::Reading reading = config::read_options(
      {subcommand->name, rest, subcommand->most_positionals, subcommand->takes_others});
  config::check_needs(reading.options, subcommand->name);
  check_output_paths(reading.options, reading.positionals);
  return subcommand->function({reading.options, reading.positionals, reading.others, out, err});
}

// One line whatever the message holds.
int report(std::ostream& err, const std::string& what, int code) {
  std::string line = what;
  std::replace(line.begin(), line.end(), '\n', ' ');
  err << "ridgepoint: error: " << core::printable(line) << '\n' << std::flush;
  return code;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const int code = dispatch(arguments, out, err);
    out.flush();
    if (!out) return report(err, "standard output: cannot be written", kBadInput);
    return code;
  } catch (const core::CheckError& error) {
    return report(err, error.what(), kFailed);
  } catch (const core::InputError& error) {
    return report(err, error.what(), kBadInput);
  } catch (const core::SimulationError& error) {
    return report(err, error.what(), kSimulation);
  } catch (const std::bad_alloc&) {
    return report(err, "out of memory", kSimulation);
  } catch (const std::exception& error) {
    return report(err, std::string("defect in the program: ") + error.what(), kSimulation);
  }
}

}  // namespace ridgepoint::cli
