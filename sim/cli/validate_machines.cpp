// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/validate_machines.hpp"

#include <algorithm>
#include <vector>

#include "sim/config/machines.hpp"
#include "sim/config/read_options.hpp"

namespace ridgepoint::cli {

std::string preset_of(const std::string& machine) {
  const auto exists = [](std::string_view name) {
    const auto presets = config::machine_presets();
    return std::any_of(presets.begin(), presets.end(),
                       [&](const config::MachinePreset& preset) { return preset.name == name; });
  };
  if (exists(machine)) return machine;
  const std::string larger = machine + "-80g";
  return exists(larger) ? larger : "";
}

config::Options options_on(const config::Options& options, const std::string& preset) {
  std::vector<std::string> arguments{"--machine", preset};
  for (const config::OptionRef& option : config::all_options()) {
    const std::string key(option.row->key);
    if (key == "run.machine" || !config::used_by(option, "validate")) continue;
    if (options.origin(key).kind != config::Origin::Kind::kFlag) continue;
    arguments.push_back("--" + key + '=' + options.text(key));
  }
  return config::read_options({"validate", arguments}).options;
}

}  // namespace ridgepoint::cli
