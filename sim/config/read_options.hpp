// SPDX-License-Identifier: Apache-2.0
// From arguments and files to frozen options. Order of importance: command line, --config file,
// machine file, its bases, defaults.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/assignment.hpp"
#include "sim/config/options.hpp"

namespace ridgepoint::config {

struct Request {
  std::string_view subcommand;
  std::span<const std::string> arguments;  // after the subcommand's name
  std::size_t most_positionals = 0;        // arguments without dashes that it takes
  bool pass_others = false;                // keep flags of other subcommands in Reading::others
};

struct Reading {
  Options options;
  std::vector<std::string> positionals;
  std::vector<Assignment> others;  // flags in the table that `subcommand` does not use
};

// Throws InputError, one line, on anything that is not exactly right.
Reading read_options(const Request& request);

}  // namespace ridgepoint::config
