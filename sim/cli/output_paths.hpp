// SPDX-License-Identifier: Apache-2.0
// Files a subcommand would write over. Not a check that they can be written: the writers do that.
#pragma once

#include <string>
#include <vector>

#include "sim/config/options.hpp"

namespace ridgepoint::cli {

// Throws InputError if two options would write the same file, or one would write a file that
// another option or a positional argument names for reading. Devices may be named many times.
// Which files of a folder are read only the subcommand knows: check_outputs_are_not().
void check_output_paths(const config::Options& options,
                        const std::vector<std::string>& positionals);

// Throws InputError if an option would write one of `inputs`, which are paths.
void check_outputs_are_not(const config::Options& options, const std::vector<std::string>& inputs);

}  // namespace ridgepoint::cli
