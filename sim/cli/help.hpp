// SPDX-License-Identifier: Apache-2.0
// Help texts, made from the option table and the registry, at most 100 columns wide.
#pragma once

#include <string>

#include "sim/cli/subcommands.hpp"
#include "sim/config/option_table.hpp"

namespace ridgepoint::cli {

// "--batch N", and what it means, accepts and defaults to.
std::string option_head(const config::OptionRow& row);
std::string option_description(const config::OptionRow& row);

std::string overview_help();
std::string subcommand_help(const Subcommand& subcommand);
std::string version_text();

}  // namespace ridgepoint::cli
