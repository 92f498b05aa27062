// SPDX-License-Identifier: Apache-2.0
// Simulates kernels on several copies of one machine at once: child processes, each with the
// machine as it stands, because a process can hold only one.
#pragma once

#include <optional>
#include <vector>

#include "sim/isa/kernel.hpp"
#include "sim/soc/machine.hpp"

namespace ridgepoint::soc {

// The host time of a kernel, in bytes that its simulation moves.
double simulated_bytes(const isa::Kernel& kernel);

// Bytes that are worth a copy: about a second of simulation.
inline constexpr double kWorthACopy = 64 << 20;

// What each kernel does after reset_memory(), as run() says; nothing for those whose process
// failed. The caller's machine is not touched. Up to `workers` processes.
std::vector<std::optional<Activity>> run_on_copies(Machine& machine,
                                                   const std::vector<const isa::Kernel*>& kernels,
                                                   std::size_t workers);

}  // namespace ridgepoint::soc
