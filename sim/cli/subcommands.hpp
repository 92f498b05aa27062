// SPDX-License-Identifier: Apache-2.0
// The registry of subcommands. A new one is a file with its function, the declaration in
// commands.hpp and a row in subcommands.cpp; its options are the rows of the option table that name
// it in `used_by`.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/csv_writer.hpp"
#include "sim/config/assignment.hpp"
#include "sim/config/options.hpp"

namespace ridgepoint::cli {

// What a subcommand gets. Tables go to table(), text for people to say(); nothing else is printed.
struct Context {
  const config::Options& options;
  std::vector<std::string> arguments;      // those without dashes
  std::vector<config::Assignment> others;  // flags of other subcommands, with takes_others
  std::ostream& out;
  std::ostream& err;

  // Text for people, on standard error; nothing with --quiet.
  void say(std::string_view text) const;
  // The table of this kind, to --csv or standard output. Nothing appears before finish().
  results::TableWriter table(std::string_view kind) const;
};

struct Subcommand {
  std::string_view name;
  std::string_view summary;        // one line, for the overview
  std::string_view positionals{};  // for the usage line: "A.csv B.csv"
  std::size_t most_positionals = 0;
  bool takes_others = false;   // flags of other subcommands are kept for it
  std::string_view details{};  // paragraphs of the subcommand's own help
  // Returns the exit code: 0, or 1 if a check or a point failed. Throws for 2 and 3.
  int (*function)(const Context&) = nullptr;
};

std::span<const Subcommand> subcommands();
const Subcommand* find_subcommand(std::string_view name);
std::vector<std::string> subcommand_names();

}  // namespace ridgepoint::cli
