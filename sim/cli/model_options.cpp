// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/model_options.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "sim/config/bind_machine.hpp"
#include "sim/config/needs.hpp"
#include "sim/config/number.hpp"
#include "sim/core/dtype.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::cli {

const workloads::ModelShape& model_of(const config::Options& options) {
  const config::Origin& origin = options.origin("run.model");
  const bool in_file = origin.kind == config::Origin::Kind::kFile;
  return workloads::find_model(options.text("run.model"), origin.where,
                               in_file ? "run.model" : "--model");
}

workloads::Formats formats_of(const config::Options& options) {
  const auto format = [&](std::string_view key) {
    const auto dtype = core::dtype_from_name(options.text(key));
    if (!dtype) options.fail(key, "is not a number format", core::dtype_names());
    return *dtype;
  };
  return {format("run.weight_dtype"), format("run.kv_dtype"), format("run.act_dtype")};
}

kernels::ExpertLoads expert_loads_of(const config::Options& options) {
  const workloads::ModelShape& model = model_of(options);
  for (const char* key : {"run.expert_skew", "run.expert_loads"}) {
    if (model.moe || !config::must_be_used(options, key)) continue;
    options.fail(key, "would change nothing: " + std::string(model.name) + " has no experts",
                 "a model that is a mixture of experts, or --allow-unused");
  }
  kernels::ExpertLoads loads;
  loads.skew = options.real("run.expert_skew");
  loads.seed = static_cast<std::uint64_t>(options.integer("general.seed"));
  for (const std::string& part : config::split_words(options.text("run.expert_loads"), ',')) {
    std::string why;
    const auto weight = config::parse_real(part, why);
    if (!weight || *weight < 0) {
      options.fail("run.expert_loads", "holds '" + part + "', which is no number from 0",
                   "numbers from 0 with commas, one per expert");
    }
    loads.weights.push_back(*weight);
  }
  return loads;
}

unsigned available_processors() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&mask)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

std::size_t step_workers_of(const config::Options& options) {
  const auto asked = static_cast<std::size_t>(options.integer("run.step_workers"));
  return asked > 0 ? asked : available_processors();
}

}  // namespace ridgepoint::cli
