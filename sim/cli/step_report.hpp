// SPDX-License-Identifier: Apache-2.0
// From what a step did to the numbers people and tables get, with their bounds asserted.
#pragma once

#include <string>

#include "results/row.hpp"
#include "sim/soc/machine.hpp"
#include "workloads/step/runner.hpp"

namespace ridgepoint::cli {

// Derived from one activity; `flops` are those of the kernels' definitions.
struct Figures {
  double time_ns = 0;
  double read_bytes = 0, write_bytes = 0;  // at the pins
  double weight_bytes = 0, kv_read_bytes = 0, activation_bytes = 0;
  double flop_per_byte = 0;
  double compute_ns = 0, bandwidth_ns = 0;  // flops / peak rate, bytes / peak bandwidth
  double roofline_ns = 0;                   // the larger
  double hbm_bandwidth_ratio = 0, matrix_utilization_ratio = 0;
  std::string bound;  // the larger of the two, or latency when it is under half of the time
};

// Throws CheckError when the activity beats its roofline or its books do not sum: a defect.
Figures figures_of(const soc::Machine& machine, core::DType dtype, const soc::Activity& activity,
                   double flops);

// The columns of tables "run" and "kernels".
void fill_step(results::Row& row, const soc::Machine& machine, core::DType dtype,
               const workloads::StepReport& report);
void fill_kernel(results::Row& row, const soc::Machine& machine, core::DType dtype,
                 const workloads::StepReport& report, const workloads::KernelReport& kernel);

// A table of kernels and a line of totals, for a terminal.
std::string step_text(const soc::Machine& machine, core::DType dtype,
                      const workloads::StepReport& report);

}  // namespace ridgepoint::cli
