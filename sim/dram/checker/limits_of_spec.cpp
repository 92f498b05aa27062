// SPDX-License-Identifier: Apache-2.0
// The only place where the checker meets the simulator's configuration: numbers are copied by name.
#include "sim/dram/checker/limits.hpp"
#include "sim/dram/checker/trace_file.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram::checker {
namespace {

void copy_shape(const CommandShape& shape, Limits& limits) {
  if (shape.commands.contains(Command::kAct)) {
    limits.act_bus = shape.ticks;
    limits.act_grid = shape.align;
  }
  if (shape.commands.contains(Command::kPre)) {
    limits.row_bus = shape.ticks;
    limits.row_grid = shape.align;
  }
  if (shape.commands.contains(Command::kRd)) {
    limits.column_bus = shape.ticks;
    limits.column_grid = shape.align;
  }
}

}  // namespace

Limits limits_of(const Spec& spec) {
  Limits limits;
  limits.pseudo_channels = spec.geometry.pseudo_channels;
  limits.stack_ids = spec.geometry.stack_ids;
  limits.bank_groups = spec.geometry.bank_groups;
  limits.banks = spec.geometry.banks;
  limits.rows = spec.geometry.rows;
  limits.columns = spec.geometry.columns;
  for (const LimitName& one : limit_names()) {
    const auto found = spec.timings.find(one.name);
    if (found != spec.timings.end()) limits.*one.value = found->second;
  }
  for (const CommandShape& shape : spec.standard->shapes) copy_shape(shape, limits);
  limits.shared_bus = spec.standard->shared_command_bus ? 1 : 0;
  if (spec.config.refresh == RefreshMode::kAllBank) limits.refresh = 1;
  if (spec.config.refresh == RefreshMode::kPerBank) limits.refresh = 2;
  if (spec.config.refresh == RefreshMode::kSameBank) limits.refresh = 3;
  limits.postponed = spec.config.refresh_postpone;
  validate(limits);
  return limits;
}

Limits limits_of_standard(const std::string& name) {
  Config config;
  config.standard = find_standard(name).name;
  Limits limits = limits_of(resolve(config));
  limits.refresh = 0;
  limits.postponed = Limits{}.postponed;
  return limits;
}

}  // namespace ridgepoint::dram::checker
