// SPDX-License-Identifier: Apache-2.0
// The step that run's options ask for, simulated on a machine.
#pragma once

#include <cstdint>

#include "sim/config/options.hpp"
#include "sim/soc/machine.hpp"
#include "workloads/step/runner.hpp"

namespace ridgepoint::cli {

struct StepRequest {
  std::int64_t batch = 1, new_tokens = 1, context = 1;  // context after the step
};
// Throws InputError where the tokens go beyond the model.
StepRequest step_request_of(const config::Options& options);

workloads::StepReport simulate_step(const config::Options& options, soc::Machine& machine,
                                    const StepRequest& request);

}  // namespace ridgepoint::cli
