// SPDX-License-Identifier: Apache-2.0
// serve: a trace through the serving engine, timed by the simulated accelerator.
#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/serve_prompts.hpp"
#include "sim/cli/serve_report.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/config/bind_machine.hpp"
#include "workloads/serving/machine_step_time.hpp"

namespace ridgepoint::cli {

int serve_command(const Context& context) {
  const config::Options& options = context.options;
  if (options.has("serve.prompts")) return serve_prompts(context);
  const workloads::ModelShape& shape = model_of(options);
  const ServeSetting setting = serve_setting_of(options, shape);
  ServeTables tables(context, setting);
  const auto trace = trace_of(options, setting.trace);
  const auto kv = workloads::make_kv_memory(kv_options_of(options, setting, shape.name));
  const auto scheduler = workloads::make_scheduler(options.text("serve.scheduler"));

  soc::Machine machine(config::machine_config(options));
  const workloads::MachineStepSpec spec = step_spec_of(options, setting, machine);
  std::unique_ptr<workloads::MachineKernelTimes> kernels;
  std::unique_ptr<workloads::GridStepTime> grid;
  std::unique_ptr<workloads::StepTimeModel> exact;
  if (options.enabled("serve.exact")) {
    exact = std::make_unique<workloads::ExactStepTime>(machine, shape, spec);
  } else {
    kernels = std::make_unique<workloads::MachineKernelTimes>(machine, shape, spec);
    grid = std::make_unique<workloads::GridStepTime>(
        *kernels, workloads::GridOptions{.tolerance = options.real("serve.grid_tolerance")});
  }
  workloads::StepTimeModel& times = exact ? *exact : *grid;
  workloads::Engine engine(engine_options_of(options, setting), *kv, *scheduler, times,
                           tables.observers());
  const workloads::ServingSummary summary = engine.run(*trace);

  workloads::GridStepTime::Error error;
  if (grid) {
    error = grid->measure_error(options.integer("serve.grid_checks"),
                                static_cast<std::uint64_t>(options.integer("general.seed")));
  }
  tables.finish(summary, grid.get(), error, trace->problems());
  return 0;
}

}  // namespace ridgepoint::cli
