// SPDX-License-Identifier: Apache-2.0
// Help texts, made from the option table and the registry, at most 100 columns wide.
#pragma once

#include <string>

#include "sim/cli/subcommands.hpp"

namespace ridgepoint::cli {

std::string overview_help();
std::string subcommand_help(const Subcommand& subcommand);
std::string version_text();

}  // namespace ridgepoint::cli
