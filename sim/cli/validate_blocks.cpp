// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/validate_blocks.hpp"

#include <cmath>
#include <filesystem>

#include "sim/cli/validate_machines.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/config/machines.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/validation/kv_blocks.hpp"

namespace ridgepoint::cli {
namespace {

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const config::MachinePreset& preset : config::machine_presets()) {
    names.emplace_back(preset.name);
  }
  return names;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const workloads::ModelShape& shape : workloads::all_models()) names.push_back(shape.name);
  return names;
}

workloads::CapacityInput capacity_of(const config::Options& options) {
  workloads::CapacityInput input;
  input.memory_bytes = config::memory_bytes(options);
  input.utilization = options.real("serve.utilization");
  input.overhead_bytes = std::llround(options.real("serve.overhead_gib") * std::exp2(30));
  input.max_batch_tokens = options.integer("serve.max_batch_tokens");
  input.max_num_seqs = options.integer("serve.max_num_seqs");
  return input;
}

}  // namespace

void predict_blocks(const Context& context, results::TableWriter& table,
                    ValidationSummary& summary) {
  const config::Options& options = context.options;
  const std::string& family = options.text("validate.family");
  const auto path = std::filesystem::path(options.text("validate.measured")) / "kv_blocks.csv";
  if ((family != "all" && family != "kv_blocks") || !std::filesystem::exists(path)) return;
  const bool one_machine = options.origin("run.machine").kind == config::Origin::Kind::kFlag;
  std::vector<std::string> machines = machine_names();
  const std::vector<std::string> models = model_names();
  if (one_machine) machines.push_back(options.text("machine.name"));  // perhaps of a file
  int left_out = 0, index = 0;
  for (const workloads::LoggedBlocks& logged : workloads::read_logged_blocks(path)) {
    const int half = index++ % 2;
    const std::string machine = workloads::registered_name(logged.gpu, machines);
    const std::string model = workloads::registered_name(logged.model, models);
    if (machine.empty() || model.empty()) {
      ++left_out;
      continue;
    }
    if (one_machine && machine != options.text("machine.name")) continue;
    const config::Options there =
        options_on(options, one_machine ? options.text("run.machine") : machine);
    const std::int64_t blocks =
        workloads::predicted_blocks(logged, workloads::find_model(model), capacity_of(there));
    const double error = static_cast<double>(blocks) / static_cast<double>(logged.blocks) - 1;
    results::Row row(results::table("validate"), there);
    row.set("family", "kv_blocks")
        .set("case", logged.case_name())
        .set("size_class", "logged")
        .set("half", half == 0 ? "even" : "odd")
        .set("predicted_blocks_count", blocks)
        .set("measured_blocks_count", logged.blocks)
        .set("error_ratio", error);
    table.add(row);
    summary.add({there.text("machine.name"), "kv_blocks", "logged", half, error});
  }
  if (left_out > 0) {
    context.say("kv_blocks: " + std::to_string(left_out) +
                " rows are left out: no preset of their GPU or their model");
  }
}

}  // namespace ridgepoint::cli
