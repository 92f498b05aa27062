// SPDX-License-Identifier: Apache-2.0
// What the options say about a serving run, for serve and capacity: the pool, the engine, the
// steps.
#pragma once

#include <string>

#include "sim/config/options.hpp"
#include "workloads/serving/capacity.hpp"
#include "workloads/serving/engine.hpp"
#include "workloads/serving/machine_step_time.hpp"

namespace ridgepoint::cli {

struct ServeSetting {
  workloads::Capacity naive;
  workloads::Capacity real;
  std::int64_t kv_blocks = 0;
  std::int64_t max_model_len = 0;
  std::string trace;
  std::string model;
};

// Throws InputError if the weights leave no room, or a length is beyond the model.
ServeSetting serve_setting_of(const config::Options& options, const workloads::ModelShape& shape);

workloads::EngineOptions engine_options_of(const config::Options& options,
                                           const ServeSetting& setting);

// `model`: the name under which its cache blocks may be shared.
workloads::KvOptions kv_options_of(const config::Options& options, const ServeSetting& setting,
                                   const std::string& model);

workloads::MachineStepSpec step_spec_of(const config::Options& options,
                                        const ServeSetting& setting);

}  // namespace ridgepoint::cli
