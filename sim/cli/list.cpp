// SPDX-License-Identifier: Apache-2.0
// `list`: what exists, as CSV tables, each from the table the program itself uses.
#include <span>

#include "results/columns.hpp"
#include "results/csv_writer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/number.hpp"
#include "sim/config/suggest.hpp"
#include "sim/dram/standard.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/traces/formats.hpp"
#include "workloads/traces/generator.hpp"

namespace ridgepoint::cli {
namespace {

using Fields = std::vector<std::string>;

void write(const Context& context, const Fields& header, const std::vector<Fields>& rows) {
  results::TableWriter writer(header, context.options.text("general.csv"), context.out);
  for (const Fields& row : rows) writer.add(row);
  writer.finish();
}

std::string value_in(const std::vector<config::Assignment>& keys, std::string_view name) {
  for (const config::Assignment& one : keys) {
    if (one.name == name) return one.value;
  }
  return {};
}

void list_machines(const Context& context) {
  std::vector<Fields> rows;
  for (const config::MachinePreset& preset : config::machine_presets()) {
    const auto keys = config::read_machine(std::string(preset.name), {}, "");
    Fields row{std::string(preset.name)};
    for (const std::string_view key : {"machine.memory_gib", "hbm.standard", "hbm.stacks",
                                       "hbm.pin_rate_gbps", "core.count", "core.clock_mhz"}) {
      row.push_back(value_in(keys, key));
    }
    row.push_back(config::machine_summary(preset));
    rows.push_back(std::move(row));
  }
  write(context,
        {"machine", "memory_gib", "hbm_standard", "hbm_stacks_count", "hbm_pin_rate_gbit_per_s",
         "cores_count", "core_clock_mhz", "summary"},
        rows);
}

std::string type_name(config::OptionType type) {
  using enum config::OptionType;
  switch (type) {
    case kInteger:
      return "integer";
    case kReal:
      return "number";
    case kText:
      return "text";
    case kChoice:
      return "choice";
    case kSwitch:
      break;
  }
  return "switch";
}

void list_options(const Context& context) {
  std::vector<Fields> rows;
  for (const config::OptionRef& option : config::all_options()) {
    const config::OptionRow& row = *option.row;
    const std::string_view users = row.used_by.empty() ? option.group->used_by : row.used_by;
    rows.push_back({std::string(row.key), config::flag_of(row), type_name(row.type),
                    std::string(row.fallback), row.required ? "true" : "false",
                    config::accepted_text(row), config::column_of(row), std::string(users),
                    std::string(row.help)});
  }
  write(context,
        {"key", "flag", "type", "default", "required", "accepted", "column", "used_by", "help"},
        rows);
}

std::string cell_type_name(results::CellType type) {
  switch (type) {
    case results::CellType::kInteger:
      return "integer";
    case results::CellType::kReal:
      return "number";
    case results::CellType::kText:
      break;
  }
  return "text";
}

void list_columns(const Context& context) {
  std::vector<Fields> rows;
  for (const results::Table& table : results::tables()) {
    for (const results::Column& column : results::all_columns(table)) {
      rows.push_back({std::string(table.kind), std::string(column.name),
                      cell_type_name(column.type), std::string(results::unit_of(column.name)),
                      column.key ? "true" : "false", std::string(column.meaning)});
    }
  }
  write(context, {"table", "column", "type", "unit", "key", "meaning"}, rows);
}

void list_models(const Context& context) {
  std::vector<Fields> rows;
  for (const workloads::ModelShape& model : workloads::all_models()) {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    rows.push_back({model.name, model.family, number(model.layers), number(model.d_model),
                    number(model.heads), number(model.kv_heads), number(model.head_dim),
                    number(model.ffn_dim), number(model.vocab), number(model.max_context),
                    number(workloads::parameter_count(model)),
                    number(workloads::active_parameter_count(model)),
                    number(workloads::kv_elements_per_token(model)), model.source});
  }
  write(context,
        {"model", "family", "layers_count", "d_model_count", "heads_count", "kv_heads_count",
         "head_dim_count", "ffn_dim_count", "vocab_count", "max_context_tokens_count",
         "parameters_count", "active_parameters_count", "kv_elements_per_token_count", "source"},
        rows);
}

void list_dram(const Context& context) {
  std::vector<Fields> rows;
  for (const dram::Standard* standard : dram::all_standards()) {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const double peak = standard->pin_rate_gbps * standard->channels_per_stack *
                        standard->pseudo_channels * standard->data_bits / 8;
    rows.push_back({std::string(standard->name), number(standard->channels_per_stack),
                    number(standard->pseudo_channels), number(standard->data_bits),
                    number(standard->burst_length), number(standard->bank_groups),
                    number(standard->banks_per_group), number(standard->stack_ids),
                    number(standard->row_bytes), number(standard->capacity_bytes),
                    config::format_real(standard->min_pin_rate_gbps),
                    config::format_real(standard->pin_rate_gbps),
                    config::format_real(standard->max_pin_rate_gbps), config::format_real(peak),
                    std::string(standard->source)});
  }
  write(context,
        {"standard", "channels_per_stack_count", "pseudo_channels_count", "data_bits_count",
         "burst_length_count", "bank_groups_count", "banks_per_group_count", "stack_ids_count",
         "row_bytes", "stack_capacity_bytes", "min_pin_rate_gbit_per_s", "pin_rate_gbit_per_s",
         "max_pin_rate_gbit_per_s", "stack_peak_gb_per_s", "source"},
        rows);
}

// Every number of every standard, with its source.
void list_timings(const Context& context) {
  std::vector<Fields> rows;
  for (const dram::Standard* standard : dram::all_standards()) {
    const std::string name(standard->name);
    for (const dram::NamedTiming& timing : standard->timings) {
      rows.push_back({name, std::string(timing.name), config::format_real(timing.ns), "ns",
                      timing.ck == 0 ? "" : std::to_string(timing.ck), std::string(timing.source)});
    }
    for (const dram::RefreshTime& time : standard->refresh_times) {
      const std::string limit = std::to_string(time.max_channel_gbit);
      rows.push_back({name,
                      time.max_channel_gbit == 0 ? "tRFC" : "tRFC of up to " + limit + " Gbit",
                      config::format_real(time.tRFC_ns), "ns", "", std::string(standard->source)});
    }
    for (const dram::NamedEnergy& energy : standard->energies) {
      const char* const unit = energy.name == "pSTANDBY"                        ? "mW"
                               : energy.name == "eACT" || energy.name == "eREF" ? "nJ"
                                                                                : "pJ/bit";
      rows.push_back({name, std::string(energy.name), config::format_real(energy.value), unit, "",
                      std::string(energy.source)});
    }
  }
  write(context, {"standard", "name", "value", "unit", "least_clocks_count", "source"}, rows);
}

void list_traces(const Context& context) {
  std::vector<Fields> rows;
  for (const workloads::BuiltinTrace& trace : workloads::builtin_traces()) {
    rows.push_back({std::string(trace.name), "built-in", std::string(trace.meaning),
                    "generated, seed " + std::to_string(trace.spec.seed)});
  }
  for (const workloads::TraceFormat* format : workloads::trace_formats()) {
    rows.push_back({std::string(format->name), "format", std::string(format->columns),
                    std::string(format->source)});
  }
  write(context, {"trace", "kind", "meaning", "source"}, rows);
}

struct Listing {
  std::string_view name;
  void (*function)(const Context&);
};

// A new list is a function and a row.
constexpr Listing kListings[] = {
    {"machines", &list_machines}, {"models", &list_models}, {"dram", &list_dram},
    {"timings", &list_timings},   {"traces", &list_traces}, {"options", &list_options},
    {"columns", &list_columns},
};

}  // namespace

int list_command(const Context& context) {
  std::vector<std::string> names;
  std::string all;
  const std::string asked = context.arguments.empty() ? "" : context.arguments.front();
  for (const Listing& listing : kListings) {
    names.emplace_back(listing.name);
    all += (all.empty() ? "" : ", ") + names.back();
    if (listing.name != asked) continue;
    listing.function(context);
    return 0;
  }
  core::fail_input({}, "list", asked,
                   asked.empty() ? "of what?" : config::with_suggestion("is unknown", asked, names),
                   all);
}

}  // namespace ridgepoint::cli
