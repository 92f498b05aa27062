// SPDX-License-Identifier: Apache-2.0
// From option values to the structs that the machine is built from. Every key of a machine is read
// here and nowhere else.
#pragma once

#include <cstdint>

#include "sim/accel/config.hpp"
#include "sim/config/options.hpp"
#include "sim/dram/config.hpp"
#include "sim/soc/machine.hpp"

namespace ridgepoint::config {

// Checked with AcceleratorConfig::validate(); errors name the machine.
accel::AcceleratorConfig accelerator_config(const Options& options);

// Checked with dram::resolve(); errors name the machine. The standard's name may be in any case.
dram::Config dram_config(const Options& options);

// Both together, under the machine's name.
soc::MachineConfig machine_config(const Options& options);

// machine.memory_gib in bytes. The command line's hbm.stacks, standard or stack capacity may leave
// less than the machine's own description says: then what they hold. Throws InputError if
// memory_gib asks for more than the HBM has otherwise.
std::int64_t memory_bytes(const Options& options);

}  // namespace ridgepoint::config
