// SPDX-License-Identifier: Apache-2.0
// validate: measured kernels, each simulated on the machine of its row.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "sim/cli/commands.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/output_paths.hpp"
#include "sim/cli/validate_blocks.hpp"
#include "sim/cli/validate_machines.hpp"
#include "sim/cli/validate_report.hpp"
#include "sim/config/bind_machine.hpp"
#include "workloads/step/runner.hpp"
#include "workloads/validation/cases.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::MeasuredRow;

// Cases of one preset, each with its half.
struct Case {
  const MeasuredRow* row;
  int half;
};

bool wanted(const config::Options& options, const MeasuredRow& row) {
  const std::string& family = options.text("validate.family");
  return family == "all" || family == workloads::name_of(row.family);
}

// Bytes a simulation moves grow with reuse: weights per tile row, keys and values per query block.
double moved_bytes(const MeasuredRow& row) {
  constexpr double kReuse = 512;  // FLOP per byte that the tiles reach on chip
  const workloads::CaseWork work = workloads::measured_work(row);
  return std::max(work.bytes, work.flops / kReuse);
}

std::map<std::string, std::vector<Case>> cases_by_preset(const Context& context,
                                                         const std::vector<MeasuredRow>& rows) {
  const config::Options& options = context.options;
  const bool one_machine = options.origin("run.machine").kind == config::Origin::Kind::kFlag;
  const std::int64_t every = options.integer("validate.every");
  std::map<std::string, std::vector<Case>> by_preset;
  std::map<std::string, int> unknown;
  for (const MeasuredRow& row : rows) {
    if (!wanted(options, row)) continue;
    std::string preset = preset_of(row.machine);
    if (one_machine) {
      const std::string& name = options.text("machine.name");
      if (row.machine != name && preset != name) continue;
      preset = options.text("run.machine");
    }
    if (preset.empty()) {
      ++unknown[row.machine];
      continue;
    }
    // Shapes are taken in pairs, one of each half.
    if (row.shape / 2 % every != 0) continue;
    if (options.has("validate.most_gb") &&
        moved_bytes(row) > 1e9 * options.real("validate.most_gb")) {
      continue;
    }
    by_preset[preset].push_back({&row, static_cast<int>(row.shape % 2)});
  }
  for (const auto& [machine, count] : unknown) {
    context.say("no machine '" + machine + "': " + std::to_string(count) +
                " rows are left out; --machine FILE describes it");
  }
  return by_preset;
}

struct Measured {
  soc::Activity activity;
  std::int64_t launches = 0;
};

// As the case was measured: what a launch finds in the cache is what the one before left there.
Measured simulate(soc::Machine& machine, workloads::StepRunner& runner, const MeasuredRow& row) {
  const isa::CoreShape shape = machine.config().accel.shape();
  const auto kernels = workloads::measured_case(shape, row, machine.hbm_bytes());
  if (!workloads::stays_cached(row, shape.cached_bytes)) {
    const workloads::StepReport report = runner.run(kernels, false);
    return {report.total, report.simulated_launches + report.reused_launches};
  }
  const isa::Kernel& kernel = kernels.front();
  machine.reset_memory();
  machine.run(kernel, false);
  machine.reset_memory(true);
  return {machine.run(kernel, false), 1};
}

constexpr std::size_t kTogether = 32;  // cases: what an interrupted run loses at most

// Simulates what the cases from `first` on have to, several at a time.
void prepare(soc::Machine& machine, workloads::StepRunner& runner, const std::vector<Case>& cases,
             std::size_t first) {
  const isa::CoreShape shape = machine.config().accel.shape();
  std::vector<std::vector<isa::Kernel>> steps;
  for (std::size_t i = first; i < std::min(first + kTogether, cases.size()); ++i) {
    const MeasuredRow& row = *cases[i].row;
    if (workloads::stays_cached(row, shape.cached_bytes)) continue;
    try {
      steps.push_back(workloads::measured_case(shape, row, machine.hbm_bytes()));
    } catch (const core::InputError&) {  // its row says so
    }
  }
  runner.prepare(steps);
}

Prediction predict(soc::Machine& machine, workloads::StepRunner& runner, const Case& one) {
  const MeasuredRow& row = *one.row;
  const accel::AcceleratorConfig& accel = machine.config().accel;
  const auto [total, launches] = simulate(machine, runner, row);
  const workloads::CaseWork work = workloads::measured_work(row);
  Prediction prediction;
  prediction.row = one.row;
  prediction.half = one.half;
  prediction.size_class = workloads::size_class_of(row, accel.shared_bytes);
  prediction.predicted_us = static_cast<double>(machine.clock().time_of(total.cycles)) / 1e9;
  prediction.launches = launches;
  const auto& hbm = total.hbm;
  prediction.hbm_bytes =
      std::accumulate(hbm.read_pin_bytes.begin(), hbm.read_pin_bytes.end(), std::int64_t{0}) +
      std::accumulate(hbm.write_pin_bytes.begin(), hbm.write_pin_bytes.end(), std::int64_t{0});
  prediction.flops = work.flops;
  const double compute_us = work.flops / accel.peak_flops(row.dtype) * 1e6;
  const double memory_us = work.bytes / machine.hbm_peak_bytes_per_s() * 1e6;
  prediction.roofline_us = std::max(compute_us, memory_us);
  // What the shared memory can hold may be read faster than the pins allow.
  const bool may_stay = work.bytes <= static_cast<double>(accel.shared_bytes);
  prediction.least_us = may_stay ? compute_us : prediction.roofline_us;
  return prediction;
}

// A row per case; returns how many failed.
int predict_on(const config::Options& options, const std::vector<Case>& cases,
               results::TableWriter& table, ValidationSummary& summary) {
  std::optional<soc::Machine> machine;
  std::optional<workloads::StepRunner> runner;
  int failed = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    results::Row row(results::table("validate"), options);
    try {
      if (!machine) {
        machine.emplace(config::machine_config(options));
        runner.emplace(*machine, true, step_workers_of(options));
      }
      if (i % kTogether == 0) prepare(*machine, *runner, cases, i);
      const Prediction prediction = predict(*machine, *runner, one);
      fill_prediction(row, prediction);
      summary.add(options.text("machine.name"), prediction);
    } catch (const core::InputError& error) {
      // A case this machine cannot hold is a row that says so; the others still count.
      row.set("family", workloads::name_of(one.row->family))
          .set("case", one.row->case_name())
          .set("measured_us", one.row->measured_us)
          .fail("input", error.what());
      ++failed;
      // A kernel that failed left the machine in the middle of it.
      runner.reset();
      machine.reset();
    }
    table.add(row);
  }
  return failed;
}

}  // namespace

int validate_command(const Context& context) {
  check_outputs_are_not(context.options,
                        workloads::measured_files(context.options.text("validate.measured")));
  const std::vector<MeasuredRow> rows =
      workloads::read_measured_folder(context.options.text("validate.measured"));
  results::TableWriter table = context.table("validate");
  ValidationSummary summary(context);
  int failed = 0;
  for (const auto& [preset, cases] : cases_by_preset(context, rows)) {
    failed += predict_on(options_on(context.options, preset), cases, table, summary);
  }
  predict_blocks(context, table, summary);
  if (summary.empty() && failed == 0) {
    context.options.fail("validate.measured", "holds no row of what is asked for",
                         "another --machine, --family, --every or --most-gb");
  }
  table.finish();
  summary.finish();
  if (failed > 0) context.say(std::to_string(failed) + " cases failed; see their message");
  return failed > 0 ? 1 : 0;
}

}  // namespace ridgepoint::cli
