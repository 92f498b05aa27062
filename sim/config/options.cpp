// SPDX-License-Identifier: Apache-2.0
#include "sim/config/options.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "sim/config/number.hpp"
#include "sim/config/sha256.hpp"
#include "sim/config/suggest.hpp"
#include "sim/core/utf8.hpp"

namespace ridgepoint::config {
namespace {

constexpr char kRepeatSeparator = '\n';  // cannot stand in an INI value, nor in an axis

using Kind = Origin::Kind;

OptionRef known(std::string_view key) {
  const OptionRef option = find_option(key);
  if (!option) throw std::logic_error("no option row '" + std::string(key) + "'");
  return option;
}

std::string shown_key_of(const OptionRow& row, const Origin& origin) {
  return origin.kind == Kind::kFile ? std::string(row.key) : flag_of(row);
}

}  // namespace

Options::Options() : values_(option_count()) {}

const Options::Value& Options::value(std::string_view key) const {
  return values_[known(key).index];
}

const Options::Value& Options::set_value(std::string_view key) const {
  const OptionRef option = known(key);
  const Value& found = values_[option.index];
  if (found.origin.kind == Kind::kUnset) {
    core::fail_input({}, flag_of(*option.row), "", "is not given", accepted_text(*option.row));
  }
  return found;
}

bool Options::has(std::string_view key) const { return value(key).origin.kind != Kind::kUnset; }

std::int64_t Options::integer(std::string_view key) const {
  if (known(key).row->type != OptionType::kInteger) {
    throw std::logic_error("option is not an integer: " + std::string(key));
  }
  return set_value(key).integer;
}

double Options::real(std::string_view key) const {
  const OptionType type = known(key).row->type;
  if (type != OptionType::kInteger && type != OptionType::kReal) {
    throw std::logic_error("option is not a number: " + std::string(key));
  }
  return set_value(key).real;
}

const std::string& Options::text(std::string_view key) const { return value(key).text; }

std::vector<std::string> Options::texts(std::string_view key) const {
  return split_words(text(key), kRepeatSeparator);
}

bool Options::enabled(std::string_view key) const {
  if (known(key).row->type != OptionType::kSwitch) {
    throw std::logic_error("option is not a switch: " + std::string(key));
  }
  return set_value(key).text == "true";
}

const Origin& Options::origin(std::string_view key) const { return value(key).origin; }

std::string Options::origin_text(std::string_view key) const {
  const OptionRef option = known(key);
  const Origin& origin = values_[option.index].origin;
  switch (origin.kind) {
    case Kind::kUnset:
      return "not given";
    case Kind::kDefault:
      return "default";
    case Kind::kFlag:
      return flag_of(*option.row);
    case Kind::kFile:
      break;
  }
  return origin.where.file + ':' + std::to_string(origin.where.line);
}

void Options::fail(std::string_view key, const std::string& what,
                   const std::string& accepted) const {
  const OptionRef option = known(key);
  const Value& found = values_[option.index];
  core::fail_input(found.origin.where, shown_key_of(*option.row, found.origin), found.text, what,
                   accepted);
}

bool OptionsBuilder::is_set(const OptionRef& option) const {
  return options_.values_[option.index].origin.kind != Kind::kUnset;
}

bool OptionsBuilder::set(const OptionRef& option, const std::string& value,
                         const core::Location& where) {
  const Origin origin{where.file.empty() ? Kind::kFlag : Kind::kFile, where};
  const bool first = !is_set(option);
  // A value that loses against a better source is checked all the same.
  Options::Value kept = options_.values_[option.index];
  store(option, value, origin, shown_key_of(*option.row, origin));
  if (first) return true;
  if (option.row->repeated && origin.kind == kept.origin.kind) {
    kept.text += kRepeatSeparator + options_.values_[option.index].text;
  }
  options_.values_[option.index] = std::move(kept);
  return first;
}

void OptionsBuilder::store(const OptionRef& option, const std::string& value, const Origin& origin,
                           const std::string& shown_key) {
  const OptionRow& row = *option.row;
  const auto fail = [&](const std::string& what, const std::string& accepted) {
    core::fail_input(origin.where, shown_key, value, what, accepted);
  };
  if (value.empty()) fail("needs a value", accepted_text(row));
  Options::Value parsed{value, 0, 0, origin};
  std::string why;
  switch (row.type) {
    case OptionType::kInteger: {
      const auto number = parse_integer(value, why);
      if (!number) fail(why, accepted_text(row));
      parsed.integer = *number;
      parsed.real = static_cast<double>(*number);
      parsed.text = std::to_string(*number);
      break;
    }
    case OptionType::kReal: {
      const auto number = parse_real(value, why);
      if (!number) fail(why, accepted_text(row));
      parsed.real = *number;
      parsed.text = format_real(*number);
      break;
    }
    case OptionType::kChoice:
    case OptionType::kSwitch: {
      const auto names = row.type == OptionType::kSwitch ? std::vector<std::string>{"true", "false"}
                                                         : split_words(row.accepted, '|');
      if (std::find(names.begin(), names.end(), value) == names.end()) {
        fail(with_suggestion("is unknown", value, names), accepted_text(row));
      }
      break;
    }
    case OptionType::kText:  // paths may hold any bytes, what tables show may not
      if (row.identity && !core::is_utf8(value)) fail("is not UTF-8", "text in UTF-8");
      break;
  }
  const bool number = row.type == OptionType::kInteger || row.type == OptionType::kReal;
  if (number && parsed.real < row.minimum) fail("is too small", accepted_text(row));
  if (number && parsed.real > row.maximum) fail("is too large", accepted_text(row));
  options_.values_[option.index] = std::move(parsed);
}

Options OptionsBuilder::finish(std::string_view subcommand) {
  std::set<std::string> lines;
  for (const OptionRef& option : all_options()) {
    const OptionRow& row = *option.row;
    const std::string flag = flag_of(row);
    if (!is_set(option) && !row.fallback.empty()) {
      store(option, std::string(row.fallback), {Kind::kDefault, {}}, flag);
    }
    if (!used_by(option, subcommand)) continue;
    if (!is_set(option) && row.required) {
      const bool machine = option.group->machine;
      const std::string file = machine ? options_.origin("machine.name").where.file : "";
      core::fail_input({file, 0, 0}, machine ? std::string(row.key) : flag, "", "is missing",
                       accepted_text(row));
    }
    if (!row.identity || !is_set(option)) continue;
    lines.insert(std::string(row.key) + '=' + options_.values_[option.index].text + '\n');
  }
  options_.canonical_ = "subcommand=" + std::string(subcommand) + '\n';
  for (const std::string& line : lines) options_.canonical_ += line;
  options_.sha256_ = sha256_hex(options_.canonical_);
  return options_;
}

}  // namespace ridgepoint::config
