// SPDX-License-Identifier: Apache-2.0
// No option is ignored: one on the command line that changes nothing beside the others is an error.
// Files and sweeps may hold such options: they serve many runs.
#pragma once

#include <string>
#include <string_view>

#include "sim/config/options.hpp"

namespace ridgepoint::config {

// Throws InputError for the first option whose row `needs` what is not there, unless
// --allow-unused.
void check_needs(const Options& options, std::string_view subcommand);

// True if a person gave the option for this run alone, and unused ones are no mistake to be told.
bool must_be_used(const Options& options, std::string_view key);

}  // namespace ridgepoint::config
