// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/machine.hpp"

namespace ridgepoint::soc {

Activity& Activity::operator+=(const Activity& other) {
  cycles += other.cycles;
  launch_cycles += other.launch_cycles;
  for (std::size_t e = 0; e < isa::kEngines; ++e) {
    stalls[e] += other.stalls[e];
    commands[e] += other.commands[e];
  }
  matrix_flops += other.matrix_flops;
  vector_elements += other.vector_elements;
  shared_bytes += other.shared_bytes;
  hbm += other.hbm;
  return *this;
}

Activity& Activity::operator-=(const Activity& other) {
  cycles -= other.cycles;
  launch_cycles -= other.launch_cycles;
  for (std::size_t e = 0; e < isa::kEngines; ++e) {
    stalls[e] = stalls[e] - other.stalls[e];
    commands[e] -= other.commands[e];
  }
  matrix_flops -= other.matrix_flops;
  vector_elements -= other.vector_elements;
  shared_bytes -= other.shared_bytes;
  hbm -= other.hbm;
  return *this;
}

}  // namespace ridgepoint::soc
