// SPDX-License-Identifier: Apache-2.0
// Simulates kernels on several copies of one machine at once: child processes, each with the
// machine as it stands, because a process can hold only one.
#pragma once

#include <optional>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/isa/kernel.hpp"
#include "sim/soc/machine.hpp"

namespace ridgepoint::workloads {

struct KernelTask {
  const isa::Kernel* kernel = nullptr;
  double cost = 0;  // relative host time
};

// Cycles of each task, as run() after reset_memory() gives them; nothing for one whose process
// failed. The caller's machine is not touched. Up to `workers` processes.
std::vector<std::optional<core::Cycle>> run_on_copies(soc::Machine& machine,
                                                      const std::vector<KernelTask>& tasks,
                                                      std::size_t workers);

}  // namespace ridgepoint::workloads
