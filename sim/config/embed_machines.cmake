# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT= -DFILES=a.ini,b.ini -P embed_machines.cmake: one C++ table of raw strings.
set(text "// SPDX-License-Identifier: Apache-2.0
// Written by embed_machines.cmake from machines/*.ini.
#include \"sim/config/machines.hpp\"

namespace ridgepoint::config {

std::span<const MachinePreset> machine_presets() {
  static constexpr MachinePreset kPresets[] = {
")
string(REPLACE "," ";" files "${FILES}")
list(SORT files)
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WLE)
  file(READ "${file}" body)
  string(APPEND text "      {\"${name}\", R\"machine(${body})machine\"},\n")
endforeach()
string(APPEND text "  };
  return kPresets;
}

}  // namespace ridgepoint::config
")
file(WRITE "${OUTPUT}" "${text}")
