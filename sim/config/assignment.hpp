// SPDX-License-Identifier: Apache-2.0
// "name = value" as found on a command line or in an INI file, before the option table gives it a
// type. Boost.Program_options does the syntax; nothing here knows a type or a default.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.hpp"

namespace ridgepoint::config {

struct Assignment {
  std::string name;  // as written, without the leading dashes
  std::string value;
  core::Location where;  // of an INI line; empty file for a flag
};

struct CommandLine {
  std::vector<Assignment> flags;         // in order
  std::vector<std::string> positionals;  // in order
};

// Flags `--name value` and `--name=value`, switches `--name`; no abbreviations, no short letters,
// "--" ends the flags. Unknown names are kept for the caller to explain. Throws InputError on a
// flag without a value.
CommandLine parse_command_line(std::span<const std::string> arguments);

// `[section]`, `name = value`, `#` starts a comment; the name comes back as "section.name". Throws
// InputError with file and line on anything else, and on a key that stands twice.
std::vector<Assignment> parse_ini(std::string_view text, const std::string& file);

// The text of a file; InputError if it cannot be read or holds more than `most_bytes`.
std::string read_text_file(const std::string& path,
                           std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

// parse_ini of a file of at most 16 MiB: people write these, and a device may never end.
std::vector<Assignment> read_ini(const std::string& path);

}  // namespace ridgepoint::config
