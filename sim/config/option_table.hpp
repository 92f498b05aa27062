// SPDX-License-Identifier: Apache-2.0
// The option table: one row is a command-line flag, an INI key, a sweep axis, a CSV column, a help
// line, a default and a unit. Rows live in options_<area>.cpp; this file only describes and finds
// them. Values are in options.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::config {

enum class OptionType : std::uint8_t { kInteger, kReal, kText, kChoice, kSwitch };

struct OptionRow {
  std::string_view key;     // "section.name": INI `[section] name=` and flag --section.name
  std::string_view flag{};  // also accepted everywhere as this name: "batch" gives --batch
  OptionType type = OptionType::kText;
  std::string_view fallback{};  // default as text; empty: unset unless given
  bool required = false;        // an error when nothing sets it
  std::string_view unit{};      // "MHz"; empty for names and pure numbers
  double minimum = std::numeric_limits<double>::lowest();  // inclusive
  double maximum = std::numeric_limits<double>::max();     // inclusive
  std::string_view accepted{};                             // kChoice: "a|b|c"
  std::string_view help{};
  std::string_view column{};   // CSV column; empty: the key with '_' for '.'
  std::string_view used_by{};  // "run plan"; empty: what the group says
  bool repeated = false;       // the flag may be given many times; see Options::texts()
  // When it changes something: "key" (that one is given), "!key" (is not), "key=a|b" (has one of
  // these values); a space: either is enough, '&': both. Given without, it is an error: needs.hpp.
  std::string_view needs{};
  bool identity = true;  // part of config_sha256 (false: only where and how output appears)
};

struct OptionGroup {
  std::string_view title;
  std::string_view used_by;  // subcommands, separated by spaces
  std::span<const OptionRow> rows;
  bool machine = false;  // may stand in a machine file
};

// All groups, in help order.
std::span<const OptionGroup> option_groups();

struct OptionRef {
  const OptionRow* row = nullptr;
  const OptionGroup* group = nullptr;
  std::size_t index = 0;  // position in the concatenated table
  explicit operator bool() const { return row != nullptr; }
};

std::size_t option_count();
const std::vector<OptionRef>& all_options();
// By key or flag; '-' and '_' are the same. An empty OptionRef if there is none.
OptionRef find_option(std::string_view name);

bool used_by(const OptionRef& option, std::string_view subcommand);
std::string column_of(const OptionRow& row);
// "--batch" or "--core.clock_mhz"
std::string flag_of(const OptionRow& row);
// "integer 1 .. 4096 (requests)", "open, closed", "text"
std::string accepted_text(const OptionRow& row);
std::vector<std::string> split_words(std::string_view text, char separator);

}  // namespace ridgepoint::config
