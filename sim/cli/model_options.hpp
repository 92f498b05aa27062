// SPDX-License-Identifier: Apache-2.0
// What several subcommands read from the options: the model and its formats.
#pragma once

#include <cstddef>

#include "kernels/experts/routing.hpp"
#include "sim/config/options.hpp"
#include "workloads/models/shape.hpp"
#include "workloads/step/placement.hpp"

namespace ridgepoint::cli {

const workloads::ModelShape& model_of(const config::Options& options);
workloads::Formats formats_of(const config::Options& options);
// How the experts are chosen in timing-only steps, from run.expert_skew, run.expert_loads and the
// seed.
kernels::ExpertLoads expert_loads_of(const config::Options& options);
// Processors that this process may run on: those of its affinity mask, if the system says.
unsigned available_processors();
// Processes that simulate kernels at the same time.
std::size_t step_workers_of(const config::Options& options);

}  // namespace ridgepoint::cli
