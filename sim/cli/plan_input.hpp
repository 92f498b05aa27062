// SPDX-License-Identifier: Apache-2.0
// The capacity question that the options ask, for plan and for serve's pool.
#pragma once

#include "sim/config/options.hpp"
#include "workloads/serving/capacity.hpp"

namespace ridgepoint::cli {

// run.context 0 means the model's longest context. Throws InputError if it is beyond the model.
workloads::CapacityInput capacity_input_of(const config::Options& options,
                                           const workloads::ModelShape& shape);

}  // namespace ridgepoint::cli
