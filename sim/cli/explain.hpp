// SPDX-License-Identifier: Apache-2.0
// One screen about a step: what bounds it, where its time goes, and what each change of the machine
// would make of it, every one of them simulated.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/cli/run_step.hpp"
#include "sim/config/options.hpp"

namespace ridgepoint::cli {

// What the screen needs of a simulated step; outlives its machine.
struct StepPicture {
  using Shares = std::vector<std::pair<std::string, double>>;  // name, share; largest first
  double time_us = 0, roofline_us = 0;
  std::string bound;
  double compute_us = 0, bandwidth_us = 0;  // the two sides of the roofline
  double weight_bytes = 0, kv_bytes = 0, activation_bytes = 0;
  Shares kernels;  // of the step's time
  Shares matrix;   // what the matrix engines do or wait for
  Shares memory;   // what the data buses do or lose time to
};
StepPicture picture_of(const soc::Machine& machine, core::DType dtype,
                       const workloads::StepReport& report);

// Builds one machine per what-if: no other may exist. Capacity is not part of them.
std::string explain_text(const config::Options& options, const StepRequest& request,
                         const StepPicture& picture);

}  // namespace ridgepoint::cli
