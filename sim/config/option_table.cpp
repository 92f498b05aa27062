// SPDX-License-Identifier: Apache-2.0
#include "sim/config/option_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "sim/config/number.hpp"
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {
namespace {

std::string normalised(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::vector<OptionRef> concatenate() {
  std::vector<OptionRef> refs;
  for (const OptionGroup& group : option_groups()) {
    for (const OptionRow& row : group.rows) refs.push_back({&row, &group, refs.size()});
  }
  return refs;
}

std::map<std::string, OptionRef> index_by_name() {
  std::map<std::string, OptionRef> index;
  for (const OptionRef& option : all_options()) {
    const bool fresh = index.emplace(normalised(option.row->key), option).second;
    const bool alias = !option.row->flag.empty();
    if (!fresh || (alias && !index.emplace(normalised(option.row->flag), option).second)) {
      throw std::logic_error("option name used twice: " + std::string(option.row->key));
    }
  }
  return index;
}

// Whole numbers as people write them: 1000000, not 1e+06.
std::string bound_text(double bound) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool whole = std::trunc(bound) == bound && std::fabs(bound) <= kExact;
  return whole ? std::to_string(static_cast<std::int64_t>(bound)) : format_real(bound);
}

std::string range_text(const OptionRow& row) {
  const bool low = row.minimum != std::numeric_limits<double>::lowest();
  const bool high = row.maximum != std::numeric_limits<double>::max();
  if (low && high) return ' ' + bound_text(row.minimum) + " .. " + bound_text(row.maximum);
  if (low) return " >= " + bound_text(row.minimum);
  if (high) return " <= " + bound_text(row.maximum);
  return {};
}

}  // namespace

std::span<const OptionGroup> option_groups() {
  static const std::vector<OptionGroup> groups = make_option_groups();
  return groups;
}

const std::vector<OptionRef>& all_options() {
  static const std::vector<OptionRef> refs = concatenate();
  return refs;
}

std::size_t option_count() { return all_options().size(); }

OptionRef find_option(std::string_view name) {
  static const std::map<std::string, OptionRef> index = index_by_name();
  const auto at = index.find(normalised(name));
  return at == index.end() ? OptionRef{} : at->second;
}

bool used_by(const OptionRef& option, std::string_view subcommand) {
  const std::string_view users =
      option.row->used_by.empty() ? option.group->used_by : option.row->used_by;
  const std::vector<std::string> words = split_words(users, ' ');
  return std::find(words.begin(), words.end(), subcommand) != words.end();
}

std::string column_of(const OptionRow& row) {
  std::string name(row.column.empty() ? row.key : row.column);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string flag_of(const OptionRow& row) {
  std::string name(row.flag.empty() ? row.key : row.flag);
  if (!row.flag.empty()) std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string accepted_text(const OptionRow& row) {
  const std::string unit = row.unit.empty() ? "" : " (" + std::string(row.unit) + ')';
  switch (row.type) {
    case OptionType::kInteger:
      return "integer" + range_text(row) + unit;
    case OptionType::kReal:
      return "number" + range_text(row) + unit;
    case OptionType::kSwitch:
      return "true, false";
    case OptionType::kText:
      return row.unit.empty() ? "text" : std::string(row.unit);
    case OptionType::kChoice:
      break;
  }
  std::string names;
  for (const std::string& name : split_words(row.accepted, '|')) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::vector<std::string> split_words(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace ridgepoint::config
