// SPDX-License-Identifier: Apache-2.0
#include "sim/config/bind_machine.hpp"

#include <algorithm>
#include <cmath>

#include "sim/config/number.hpp"
#include "sim/dram/spec.hpp"
#include "sim/dram/standard.hpp"

namespace ridgepoint::config {
namespace {

std::int64_t bytes_from(const Options& options, std::string_view key, double unit) {
  return std::llround(options.real(key) * unit);
}

// Runs a check of the machine's own and puts in front of its message the machine's name, and the
// line if a file set the key, which the message begins with.
template <typename Check>
void checked(const Options& options, Check check) {
  try {
    check();
  } catch (const core::InputError& error) {
    std::string text = error.what();
    const OptionRef key = text.starts_with('\'')
                              ? find_option(text.substr(1, text.find('\'', 1) - 1))
                              : OptionRef();
    const Origin::Kind kind = key ? options.origin(key.row->key).kind : Origin::Kind::kUnset;
    const std::string where =
        kind == Origin::Kind::kFile ? options.origin_text(key.row->key) + ": " : "";
    if (kind == Origin::Kind::kFlag) {
      text = '\'' + flag_of(*key.row) + text.substr(text.find('\'', 1));
    }
    throw core::InputError(where + "machine '" + options.text("machine.name") + "': " + text);
  }
}

int small(const Options& options, std::string_view key) {
  return options.has(key) ? static_cast<int>(options.integer(key)) : 0;
}

double real_or_zero(const Options& options, std::string_view key) {
  return options.has(key) ? options.real(key) : 0;
}

// The choices are checked against the option table, so the last name is what is left.
dram::SchedulerKind scheduler_from(const std::string& name) {
  return name == "fcfs" ? dram::SchedulerKind::kFcfs : dram::SchedulerKind::kFrFcfs;
}
dram::RowPolicy row_policy_from(const std::string& name) {
  if (name == "closed") return dram::RowPolicy::kClosed;
  return name == "timeout" ? dram::RowPolicy::kTimeout : dram::RowPolicy::kOpen;
}
dram::RefreshMode refresh_from(const std::string& name) {
  if (name == "none") return dram::RefreshMode::kNone;
  if (name == "same-bank") return dram::RefreshMode::kSameBank;
  return name == "per-bank" ? dram::RefreshMode::kPerBank : dram::RefreshMode::kAllBank;
}
dram::ControllerKind controller_from(const std::string& name) {
  if (name == "oracle") return dram::ControllerKind::kOracle;
  return name == "event" ? dram::ControllerKind::kEventDriven : dram::ControllerKind::kFast;
}

// "name=number name=number"
std::map<std::string, double> named_numbers(const Options& options, std::string_view key) {
  std::map<std::string, double> numbers;
  for (const std::string& part : split_words(options.text(key), ' ')) {
    const std::size_t equals = part.find('=');
    std::string why = "is not 'name=number'";
    const auto number = equals == std::string::npos || equals == 0
                            ? std::nullopt
                            : parse_real(part.substr(equals + 1), why);
    if (!number) {
      options.fail(key, "holds '" + part + "', which " + why, "'name=number name=number'");
    }
    if (!numbers.emplace(part.substr(0, equals), *number).second) {
      options.fail(key, "holds '" + part + "' twice", "each name once");
    }
  }
  return numbers;
}

// The more important source wins; two of the same kind contradict each other.
void set_bandwidth(const Options& options, dram::Config& config) {
  config.pin_rate_gbps = real_or_zero(options, "hbm.pin_rate_gbps");
  config.target_gb_per_s = real_or_zero(options, "hbm.target_gb_per_s");
  if (config.pin_rate_gbps == 0 || config.target_gb_per_s == 0) return;
  const Origin& pin = options.origin("hbm.pin_rate_gbps");
  const Origin& target = options.origin("hbm.target_gb_per_s");
  if (pin.kind == target.kind && pin.where.file == target.where.file) {
    options.fail("hbm.target_gb_per_s", "is given together with hbm.pin_rate_gbps",
                 "one of the two");
  }
  const bool pin_wins = pin.kind == Origin::Kind::kFlag;
  (pin_wins ? config.target_gb_per_s : config.pin_rate_gbps) = 0;
}

constexpr double kKib = 1024;
constexpr double kGib = 1024.0 * 1024 * 1024;

}  // namespace

accel::AcceleratorConfig accelerator_config(const Options& options) {
  accel::AcceleratorConfig config;
  config.cores = options.integer("core.count");
  config.clock_hz = std::llround(options.real("core.clock_mhz") * 1e6);
  config.matrix_rows = options.integer("core.matrix_rows");
  config.matrix_cols = options.integer("core.matrix_cols");
  config.fp32_rate = options.real("core.fp32_rate");
  config.fp8_rate = options.real("core.fp8_rate");
  config.int8_rate = options.real("core.int8_rate");
  config.sustained_ratio = options.real("core.sustained_ratio");
  config.boost_ns = options.integer("core.boost_ns");
  config.vector_lanes = options.integer("core.vector_lanes");
  config.special_lanes = options.integer("core.special_lanes");
  config.blocks = options.integer("core.blocks");
  config.block_ns = options.integer("core.block_ns");
  config.engines_alternate = options.enabled("core.engines_alternate");
  config.scratchpad_bytes = bytes_from(options, "core.scratchpad_kib", kKib);
  config.accumulator_bytes = bytes_from(options, "core.accumulator_kib", kKib);
  config.tile_rows = options.integer("core.tile_rows");
  config.load_queue_bytes = options.integer("core.load_queue_bytes");
  config.store_queue_bytes = options.integer("core.store_queue_bytes");
  config.port_bytes_per_cycle = options.integer("core.port_bytes_per_cycle");
  config.shared_bytes = bytes_from(options, "shared.size_kib", kKib);
  config.shared_is_cache = options.enabled("shared.is_cache");
  config.shared_bytes_per_cycle = options.integer("shared.bytes_per_cycle");
  config.shared_latency_ns = options.integer("shared.latency_ns");
  config.request_latency_ns = options.integer("fabric.request_latency_ns");
  config.response_latency_ns = options.integer("fabric.response_latency_ns");
  config.sync_latency_ns = options.integer("fabric.sync_latency_ns");
  config.piece_bytes = options.integer("fabric.piece_bytes");
  config.credits = options.integer("fabric.credits");
  config.channel_gb_per_s = options.real("fabric.channel_gb_per_s");
  config.attention_setup_ns = options.integer("host.attention_setup_ns");
  config.launch_ns = options.integer("host.launch_ns");
  checked(options, [&] { config.validate(); });
  return config;
}

dram::Config dram_config(const Options& options) {
  dram::Config config;
  config.standard = options.text("hbm.standard");
  config.stacks = small(options, "hbm.stacks");
  config.channels_per_stack = small(options, "hbm.channels_per_stack");
  set_bandwidth(options, config);
  if (options.has("hbm.stack_capacity_bytes")) {
    config.stack_capacity_bytes = options.integer("hbm.stack_capacity_bytes");
  }
  config.stack_ids = small(options, "hbm.stack_ids");
  config.interleave_bytes = options.integer("hbm.interleave_bytes");
  config.interleave_hash = options.enabled("hbm.interleave_hash");
  config.address_map = options.text("hbm.address_map");
  config.bank_hash = options.enabled("hbm.bank_hash");
  config.read_queue = small(options, "hbm.read_queue");
  config.write_queue = small(options, "hbm.write_queue");
  config.write_high = small(options, "hbm.write_high");
  config.write_low = small(options, "hbm.write_low");
  config.scheduler = scheduler_from(options.text("hbm.scheduler"));
  config.hit_cap = small(options, "hbm.hit_cap");
  config.row_policy = row_policy_from(options.text("hbm.row_policy"));
  config.row_timeout_ns = options.real("hbm.row_timeout_ns");
  config.refresh = refresh_from(options.text("hbm.refresh"));
  config.refresh_postpone = small(options, "hbm.refresh_postpone");
  config.timing_ns = named_numbers(options, "hbm.timing");
  config.energy = named_numbers(options, "hbm.energy");
  config.controller = controller_from(options.text("hbm.controller"));
  checked(options, [&] { dram::resolve(config); });
  return config;
}

soc::MachineConfig machine_config(const Options& options) {
  return {options.text("machine.name"), accelerator_config(options), dram_config(options)};
}

std::int64_t memory_bytes(const Options& options) {
  const std::int64_t asked = bytes_from(options, "machine.memory_gib", kGib);
  const dram::Config hbm = dram_config(options);
  const std::int64_t held = dram::resolve(hbm).total_bytes();
  if (asked <= held) return asked;
  const auto from_command = [&](std::string_view key) {
    return options.origin(key).kind == Origin::Kind::kFlag;
  };
  const bool other_stacks = from_command("hbm.stacks") || from_command("hbm.standard") ||
                            from_command("hbm.stack_capacity_bytes");
  if (other_stacks && !from_command("machine.memory_gib")) return held;
  const std::string gib = format_real(static_cast<double>(held) / kGib);
  options.fail("machine.memory_gib",
               "is more than the HBM holds: " + gib + " GiB in " +
                   std::to_string(hbm.stacks) + " stacks",
               "at most " + gib + ", or more hbm.stacks or hbm.stack_capacity_bytes");
}

}  // namespace ridgepoint::config
