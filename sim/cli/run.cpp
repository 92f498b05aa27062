// SPDX-License-Identifier: Apache-2.0
// run: one step of a model on a machine.
#include "sim/cli/commands.hpp"
#include "sim/cli/explain.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/run_step.hpp"
#include "sim/cli/step_report.hpp"
#include "sim/cli/timeline.hpp"
#include "sim/config/bind_machine.hpp"

namespace ridgepoint::cli {
namespace {

results::Row row_of(const Context& context, std::string_view kind, const StepRequest& request) {
  results::Row row(results::table(kind), context.options);
  row.set("machine", context.options.text("machine.name"))
      .set("new_tokens_count", request.new_tokens);
  return row;
}

// Everything that needs the machine; a process has one at a time, so it ends with this call.
StepPicture report_step(const Context& context, const StepRequest& request) {
  const config::Options& options = context.options;
  results::TableWriter table = context.table("run");
  soc::Machine machine(config::machine_config(options));
  Timeline timeline(options, machine);
  const workloads::StepReport report = simulate_step(options, machine, request);
  const core::DType dtype = formats_of(options).activations;
  results::Row row = row_of(context, "run", request);
  fill_step(row, machine, dtype, report);
  table.add(row);
  if (options.has("run.kernels_csv")) {
    results::TableWriter kernels(results::table("kernels"), options.text("run.kernels_csv"),
                                 context.out);
    for (const workloads::KernelReport& kernel : report.kernels) {
      results::Row kernel_row = row_of(context, "kernels", request);
      fill_kernel(kernel_row, machine, dtype, report, kernel);
      kernels.add(kernel_row);
    }
    kernels.finish();
  }
  timeline.finish();
  table.finish();
  if (!options.enabled("run.explain")) context.say(step_text(machine, dtype, report));
  return picture_of(machine, dtype, report);
}

}  // namespace

int run_command(const Context& context) {
  const StepRequest request = step_request_of(context.options);
  const StepPicture picture = report_step(context, request);
  if (context.options.enabled("run.explain")) {
    context.say(explain_text(context.options, request, picture));
  }
  return 0;
}

}  // namespace ridgepoint::cli
