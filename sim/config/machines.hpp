// SPDX-License-Identifier: Apache-2.0
// Machine presets: the INI files of machines/, compiled in so that the program works from any
// folder, and files of the user's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/assignment.hpp"

namespace ridgepoint::config {

struct MachinePreset {
  std::string_view name;  // file name without .ini
  std::string_view text;
};

// In order of name.
std::span<const MachinePreset> machine_presets();

// The first comment line of a preset: what the machine is.
std::string machine_summary(const MachinePreset& preset);

// The keys of a machine and then those of its machine.base, and so on: the first one of a key
// holds. `name_or_path` is a path if it ends in ".ini" or has a '/'. Errors name the file and line;
// `where` and `shown_key` say who asked.
std::vector<Assignment> read_machine(const std::string& name_or_path, const core::Location& where,
                                     const std::string& shown_key);

}  // namespace ridgepoint::config
