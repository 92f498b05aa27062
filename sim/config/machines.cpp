// SPDX-License-Identifier: Apache-2.0
#include "sim/config/machines.hpp"

#include <algorithm>
#include <set>

#include "sim/config/suggest.hpp"

namespace ridgepoint::config {
namespace {

constexpr std::string_view kSuffix = ".ini";

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(kSuffix);
}

std::vector<Assignment> read_one(const std::string& name, const core::Location& where,
                                 const std::string& shown_key) {
  if (is_path(name)) return read_ini(name);
  std::vector<std::string> names;
  std::string all;
  for (const MachinePreset& preset : machine_presets()) {
    if (preset.name == name) return parse_ini(preset.text, name + std::string(kSuffix));
    names.emplace_back(preset.name);
    all += names.back() + ", ";
  }
  core::fail_input(where, shown_key, name, with_suggestion("is no known machine", name, names),
                   all + "or a path that ends in .ini");
}

}  // namespace

std::string machine_summary(const MachinePreset& preset) {
  for (std::string_view rest = preset.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with("# ") && !line.starts_with("# SPDX")) return std::string(line.substr(2));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return {};
}

std::vector<Assignment> read_machine(const std::string& name_or_path, const core::Location& where,
                                     const std::string& shown_key) {
  std::vector<Assignment> all;
  std::set<std::string> seen;
  std::string next = name_or_path;
  core::Location asked = where;
  std::string key = shown_key;
  while (!next.empty()) {
    if (!seen.insert(next).second) {
      core::fail_input(asked, key, next, "is its own base", "a chain of bases that ends");
    }
    std::vector<Assignment> keys = read_one(next, asked, key);
    const auto has = [&](std::string_view name) {
      return std::find_if(keys.begin(), keys.end(),
                          [&](const Assignment& one) { return one.name == name; });
    };
    if (has("machine.name") == keys.end()) {
      core::fail_input({next, 0, 0}, "machine.name", "", "is missing", "a name of its own");
    }
    next.clear();
    if (const auto base = has("machine.base"); base != keys.end()) {
      next = base->value;
      asked = base->where;
      key = base->name;
    }
    all.insert(all.end(), keys.begin(), keys.end());
  }
  return all;
}

}  // namespace ridgepoint::config
