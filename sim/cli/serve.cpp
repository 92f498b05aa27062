// SPDX-License-Identifier: Apache-2.0
// serve: a trace through the serving engine, timed by the simulated accelerator.
#include "sim/cli/commands.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/serve_prompts.hpp"
#include "sim/cli/serve_report.hpp"
#include "sim/cli/serve_timeline.hpp"
#include "sim/cli/step_times.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/config/bind_machine.hpp"

namespace ridgepoint::cli {

int serve_command(const Context& context) {
  const config::Options& options = context.options;
  if (options.has("serve.prompts")) return serve_prompts(context);
  if (options.enabled("serve.check_alone")) {
    options.fail("serve.check_alone", "has no text to check", "--prompts beside it");
  }
  const workloads::ModelShape& shape = model_of(options);
  const ServeSetting setting = serve_setting_of(options, shape);
  ServeTables tables(context, setting);
  ServeTimeline timeline(options, setting.real.kv_bytes_per_token);
  const auto trace = trace_of(options, setting.trace);
  const auto kv = workloads::make_kv_memory(kv_options_of(options, setting, shape.name));
  const auto scheduler = workloads::make_scheduler(options.text("serve.scheduler"));

  soc::Machine machine(config::machine_config(options));
  StepTimes times(options, machine, shape, setting);
  workloads::Engine engine(engine_options_of(options, setting), *kv, *scheduler, times.model(),
                           timeline.observe(tables.observers()));
  const workloads::ServingSummary summary = engine.run(*trace);
  if (const auto warmup = options.integer("serve.warmup");
      warmup > 0 && static_cast<std::uint64_t>(warmup) >= summary.requests) {
    const std::string all = std::to_string(summary.requests);
    options.fail("serve.warmup", "leaves none of the " + all + " requests to measure",
                 "less than " + all);
  }
  const auto error = times.measure_error(options);
  timeline.finish();
  tables.finish(summary, times.grid(), error, trace->problems());
  if (const std::string text = times.cache_text(); !text.empty()) context.say(text);
  return 0;
}

}  // namespace ridgepoint::cli
