// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "sim/config/machines.hpp"
#include "sim/config/number.hpp"
#include "sim/config/options.hpp"
#include "sim/config/suggest.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::cli {
namespace {

using config::OptionRef;
using config::OptionType;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

OptionRef axis_option(const std::string& name, std::string_view target,
                      const core::Location& where) {
  const OptionRef option = config::find_option(name);
  if (option && config::used_by(option, target) &&
      (option.row->identity || option.row->flag == "machine")) {
    return option;
  }
  std::vector<std::string> names;
  for (const OptionRef& other : config::all_options()) {
    if (!config::used_by(other, target)) continue;
    if (!other.row->flag.empty()) names.emplace_back(other.row->flag);
    names.emplace_back(other.row->key);
  }
  std::string what = "is no option";
  if (option) what = "cannot vary in '" + std::string(target) + '\'';
  if (option && config::used_by(option, target)) what += ", where it changes no result";
  core::fail_input(where, name, "", config::with_suggestion(what, name, names),
                   "an option of '" + std::string(target) + "'; see 'ridgepoint list options'");
}

// Whole numbers stay whole; others lose the last digits that only the arithmetic put there.
std::string number_text(double value, OptionType type) {
  if (type == OptionType::kInteger) return std::to_string(std::llround(value));
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.12g", value);
  std::string why;
  return config::format_real(config::parse_real(buffer.data(), why).value_or(value));
}

struct Range {
  double low, high, step;
  bool geometric;
};

// "lo:hi:step" or "lo:hi:*factor"; a ':' in the value of a text option is just a character.
Range parse_range(const std::string& text, const OptionRef& option, const core::Location& where) {
  static const std::string kAccepted = "low:high:step or low:high:*factor with low <= high";
  const std::string name(option.row->key);
  const auto fail = [&](const std::string& what) {
    core::fail_input(where, name, text, what, kAccepted);
  };
  const std::vector<std::string> parts = config::split_words(text, ':');
  if (parts.size() != 3 || std::count(text.begin(), text.end(), ':') != 2) fail("is no range");
  const bool geometric = parts[2].front() == '*';
  std::array<double, 3> numbers{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = i == 2 && geometric ? parts[2].substr(1) : parts[i];
    std::string why;
    const auto number = config::parse_real(part, why);
    if (!number) fail("holds '" + part + "', which " + why);
    numbers[i] = *number;
  }
  const auto [low, high, step] = numbers;
  if (low > high) fail("runs downwards");
  if (geometric ? step <= 1 || low <= 0 : step <= 0) fail("never ends");
  if (option.row->type == OptionType::kInteger) {
    for (const double number : numbers) {
      if (number != std::floor(number)) fail("needs whole numbers");
    }
  }
  return {low, high, step, geometric};
}

void append_range(std::vector<std::string>& values, const std::string& text,
                  const OptionRef& option, const core::Location& where) {
  const Range range = parse_range(text, option, where);
  // Half a step of the twelfth digit, so that 0.1:0.3:0.1 has three values.
  const double last = range.high + std::abs(range.high) * 1e-12;
  for (std::size_t i = 0;; ++i) {
    const double n = static_cast<double>(i);
    const double value =
        range.geometric ? range.low * std::pow(range.step, n) : range.low + n * range.step;
    if (value > last) return;
    if (i >= kMostPoints) {
      core::fail_input(where, std::string(option.row->key), text, "has too many values",
                       "at most " + std::to_string(kMostPoints));
    }
    values.push_back(number_text(value, option.row->type));
  }
}

std::string canonical(const OptionRef& option, const std::string& value,
                      const core::Location& where) {
  config::OptionsBuilder builder;
  builder.set(option, value, where);
  return builder.so_far().text(option.row->key);
}

// What the value "all" stands for; empty: nothing.
std::vector<std::string> all_names(const OptionRef& option) {
  std::vector<std::string> names;
  if (option.row->flag == "machine") {
    for (const config::MachinePreset& one : config::machine_presets()) names.emplace_back(one.name);
  } else if (option.row->flag == "model") {
    for (const workloads::ModelShape& one : workloads::all_models()) names.push_back(one.name);
  }
  return names;
}

bool is_numeric(const OptionRef& option) {
  return option.row->type == OptionType::kInteger || option.row->type == OptionType::kReal;
}

std::vector<std::string> expand(const OptionRef& option, const std::string& list,
                                const core::Location& where) {
  std::vector<std::string> values;
  for (const std::string& item : config::split_words(list, ',')) {
    const std::string text = trimmed(item);
    const std::vector<std::string> names = text == "all" ? all_names(option) : decltype(values){};
    if (is_numeric(option) && text.find(':') != std::string::npos) {
      append_range(values, text, option, where);
    } else if (!names.empty()) {
      values.insert(values.end(), names.begin(), names.end());
    } else {
      values.push_back(text);
    }
  }
  for (std::string& value : values) value = canonical(option, value, where);
  return values;
}

}  // namespace

Axis parse_axis(const std::string& names, const std::string& values, std::string_view target,
                const core::Location& where) {
  Axis axis;
  for (const std::string& name : config::split_words(names, '+')) {
    axis.options.push_back(axis_option(trimmed(name), target, where));
  }
  if (axis.options.empty()) {
    core::fail_input(where, names, "", "is no axis", "name=a,b,c");
  }
  if (axis.options.size() == 1) {
    for (std::string& value : expand(axis.options.front(), values, where)) {
      axis.values.push_back({std::move(value)});
    }
  } else {
    for (const std::string& item : config::split_words(values, ',')) {
      std::vector<std::string> tuple = config::split_words(trimmed(item), '+');
      if (tuple.size() != axis.options.size()) {
        core::fail_input(where, names, item, "has " + std::to_string(tuple.size()) + " parts",
                         std::to_string(axis.options.size()) + " parts joined by '+'");
      }
      for (std::size_t i = 0; i < tuple.size(); ++i) {
        tuple[i] = canonical(axis.options[i], trimmed(tuple[i]), where);
      }
      axis.values.push_back(std::move(tuple));
    }
  }
  if (axis.values.empty()) {
    core::fail_input(where, names, values, "has no values", "name=a,b,c or name=low:high:step");
  }
  return axis;
}

SkipRule parse_skip_rule(const std::string& text, std::string_view target,
                         const core::Location& where) {
  SkipRule rule;
  for (const std::string& part : config::split_words(text, ' ')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      core::fail_input(where, "skip", part, "is no condition", "name=a,b");
    }
    const OptionRef option = axis_option(part.substr(0, equals), target, where);
    rule.parts.push_back({option, expand(option, part.substr(equals + 1), where)});
  }
  if (rule.parts.empty()) core::fail_input(where, "skip", text, "is empty", "'name=a,b name=c'");
  return rule;
}

}  // namespace ridgepoint::cli
