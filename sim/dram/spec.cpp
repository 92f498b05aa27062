// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/spec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/dram/address_map.hpp"

namespace ridgepoint::dram {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMostChannels = 4096;  // each is a SystemC module with queues of its own

[[noreturn]] void fail(const std::string& key, const std::string& value, const std::string& what,
                       const std::string& accepted) {
  core::fail_input({}, "hbm." + key, value, what, accepted);
}

std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

void check_range(const std::string& key, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  fail(key, std::to_string(value), "is out of range",
       std::to_string(low) + ".." + std::to_string(high));
}

void check_policies(const Config& config) {
  check_range("stacks", config.stacks, 1, 1024);
  check_range("channels_per_stack", config.channels_per_stack, 0, 256);
  check_range("stack_ids", config.stack_ids, 0, 8);
  check_range("read_queue", config.read_queue, 1, 1024);
  check_range("write_queue", config.write_queue, 1, 1024);
  check_range("write_high", config.write_high, 1, config.write_queue);
  check_range("write_low", config.write_low, 0, config.write_high - 1);
  check_range("hit_cap", config.hit_cap, 0, 1 << 20);
  check_range("refresh_postpone", config.refresh_postpone, 0, 8);
  if (!(config.row_timeout_ns > 0 && config.row_timeout_ns <= 1e9)) {
    fail("row_timeout_ns", text_of(config.row_timeout_ns), "is out of range", "(0, 1e9]");
  }
}

std::int64_t bits_per_second(const Config& config, const Standard& standard, int channels) {
  const bool target = config.target_gb_per_s != 0;
  if (config.pin_rate_gbps != 0 && target) {
    fail("target_gb_per_s", text_of(config.target_gb_per_s),
         "is given together with hbm.pin_rate_gbps", "one of the two");
  }
  // What one Gb/s per pin is in the unit of the option.
  const double scale =
      target ? channels * standard.pseudo_channels * standard.data_bits / 8.0 : 1.0;
  double gbps = config.pin_rate_gbps != 0 ? config.pin_rate_gbps : standard.pin_rate_gbps;
  if (target) gbps = config.target_gb_per_s / scale;
  // A tolerance: a target in round GB/s may ask for a hair more than the fastest grade.
  if (!(gbps >= standard.min_pin_rate_gbps * 0.999 && gbps <= standard.max_pin_rate_gbps * 1.001)) {
    fail(target ? "target_gb_per_s" : "pin_rate_gbps", text_of(gbps * scale),
         "is outside " + std::string(standard.name) + " in " + std::to_string(channels) +
             " channels",
         text_of(standard.min_pin_rate_gbps * scale) + " .. " +
             text_of(standard.max_pin_rate_gbps * scale));
  }
  return std::llround(gbps * 1e9);
}

Geometry geometry_of(const Config& config, const Standard& standard, int channels_per_stack) {
  Geometry geometry{.pseudo_channels = standard.pseudo_channels,
                    .stack_ids = config.stack_ids != 0 ? config.stack_ids : standard.stack_ids,
                    .bank_groups = standard.bank_groups,
                    .banks = standard.banks_per_group,
                    .rows = 1,
                    .columns = standard.row_bytes / standard.burst_bytes(),
                    .burst_bytes = standard.burst_bytes()};
  if (geometry.banks_per_pseudo_channel() > 64) {
    fail("stack_ids", std::to_string(geometry.stack_ids), "gives more than 64 banks",
         "up to " + std::to_string(64 / geometry.banks_per_stack_id()));
  }
  if (!std::has_single_bit(static_cast<unsigned>(geometry.stack_ids))) {
    fail("stack_ids", std::to_string(geometry.stack_ids), "is not a power of two", "1, 2, 4, 8");
  }
  const std::int64_t capacity =
      config.stack_capacity_bytes != 0 ? config.stack_capacity_bytes : standard.capacity_bytes;
  const std::int64_t bytes_per_row_index = geometry.channel_bytes() * channels_per_stack;
  geometry.rows = capacity / bytes_per_row_index;
  if (capacity <= 0 || capacity % bytes_per_row_index != 0 || geometry.rows > (1 << 24)) {
    fail("stack_capacity_bytes", std::to_string(capacity), "does not give whole rows",
         "a multiple of " + std::to_string(bytes_per_row_index) + " up to 2^24 rows per bank");
  }
  return geometry;
}

Tick to_ticks(const NamedTiming& timing, std::int64_t bps, const Standard& standard) {
  // ceil(ns / tick), tick = bits_per_ck / ticks_per_ck / bps, in femtoseconds and without rounding.
  const Wide scaled =
      static_cast<Wide>(std::llround(timing.ns * 1e6)) * bps * standard.ticks_per_ck;
  const Wide unit = static_cast<Wide>(standard.bits_per_ck) * core::kFsPerSecond;
  const Tick analogue = static_cast<Tick>((scaled + unit - 1) / unit);
  return std::max(analogue, static_cast<Tick>(timing.ck) * standard.ticks_per_ck);
}

double refresh_time_ns(const Standard& standard, std::int64_t channel_bytes) {
  for (const RefreshTime& row : standard.refresh_times) {
    const std::int64_t limit = (std::int64_t{row.max_channel_gbit} << 30) / 8;
    if (row.max_channel_gbit == 0 || channel_bytes <= limit) return row.tRFC_ns;
  }
  return standard.refresh_times.back().tRFC_ns;
}

void add_timings(Spec& spec, std::int64_t bps) {
  const Standard& standard = *spec.standard;
  std::vector<NamedTiming> timings = standard.timings;
  timings.push_back({"tRFC", refresh_time_ns(standard, spec.geometry.channel_bytes()), 0, ""});
  for (NamedTiming& timing : timings) {
    const auto found = spec.config.timing_ns.find(std::string(timing.name));
    if (found != spec.config.timing_ns.end()) timing.ns = found->second, timing.ck = 0;
    if (!(timing.ns >= 0 && timing.ns <= 1e6)) {
      fail("timing", std::string(timing.name) + '=' + text_of(timing.ns), "is out of range",
           "0 .. 1e6 ns");
    }
    spec.timings[std::string(timing.name)] = to_ticks(timing, bps, standard);
  }
  for (const auto& [name, ns] : spec.config.timing_ns) spec.timing(name);
  // A row cycle holds both of its parts, also after each is rounded up; RDA and WRA rely on it.
  spec.timings["tRC"] = std::max(spec.timing("tRC"), spec.timing("tRAS") + spec.timing("tRP"));
  spec.timings["tBURST"] =
      static_cast<Tick>(standard.burst_length) * standard.ticks_per_ck / standard.bits_per_ck;
}

void add_energies(Spec& spec) {
  for (const NamedEnergy& energy : spec.standard->energies) {
    spec.energies[std::string(energy.name)] = energy.value;
  }
  for (const auto& [name, value] : spec.config.energy) {
    spec.energy(name);
    if (!(value >= 0 && value <= 1e6)) {
      fail("energy", name + '=' + text_of(value), "is out of range", "0 .. 1e6");
    }
    spec.energies[name] = value;
  }
}

// "tA + tB - 2": named timings and whole CKs.
Tick evaluate(const Spec& spec, std::string_view expression) {
  Tick total = 0;
  Tick sign = 1;
  std::size_t at = 0;
  while (at < expression.size()) {
    const std::size_t end = std::min(expression.find(' ', at), expression.size());
    const std::string_view term = expression.substr(at, end - at);
    at = end + 1;
    if (term == "+" || term == "-") {
      sign = term == "+" ? 1 : -1;
      continue;
    }
    int clocks = 0;
    const auto parsed = std::from_chars(term.data(), term.data() + term.size(), clocks);
    total += sign * (parsed.ptr == term.data() + term.size()
                         ? static_cast<Tick>(clocks) * spec.standard->ticks_per_ck
                         : spec.timing(term));
  }
  return total;
}

std::string names_of(const CommandSet& set) {
  std::string names;
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    if (!set.contains(static_cast<Command>(kind))) continue;
    names += (names.empty() ? "" : ",") + std::string(kCommandNames[kind]);
  }
  return names;
}

void add_rule(Spec& spec, const TimingRule& rule, Tick ticks, std::string_view label) {
  spec.rules.push_back({rule.scope, rule.from, rule.to, ticks, rule.window,
                        rule.siblings == Siblings::kYes,
                        std::string(name_of(rule.scope)) + ": " + names_of(rule.from) + " -> " +
                            names_of(rule.to) + ": " + std::string(label)});
}

// Command buses and the data bus are shared wires: their rules follow from how long each command
// occupies them and are never written by hand.
void add_bus_rules(Spec& spec) {
  const Standard& standard = *spec.standard;
  for (const CommandShape& shape : standard.shapes) {
    for (const CommandShape& next : standard.shapes) {
      if (shape.bus != next.bus && !standard.shared_command_bus) continue;
      add_rule(spec, {Scope::kChannel, shape.commands, next.commands, ""}, shape.ticks,
               "command bus occupancy");
    }
  }
  using enum Command;
  const Tick turn = spec.timing("tCL") - spec.timing("tCWL");
  const Tick burst = spec.timing("tBURST");
  const CommandSet reads{kRd, kRda};
  const CommandSet writes{kWr, kWra};
  const auto data_bus = [&](CommandSet from, CommandSet to, Tick ticks) {
    add_rule(spec, {Scope::kPseudoChannel, from, to, ""}, ticks, "data bus occupancy");
  };
  data_bus(reads, reads, burst);
  data_bus(writes, writes, burst);
  data_bus(reads, writes, burst + turn);
  data_bus(writes, reads, burst - turn);
}

void check_refresh_mode(const Config& config, const Standard& standard) {
  const std::string accepted = std::string("all-bank, ") +
                               (standard.per_bank_refresh ? "per-bank, " : "") +
                               (standard.same_bank_refresh ? "same-bank, " : "") + "none";
  const std::string what = "is not modelled for " + std::string(standard.name);
  if (config.refresh == RefreshMode::kPerBank && !standard.per_bank_refresh) {
    fail("refresh", "per-bank", what, accepted);
  }
  if (config.refresh == RefreshMode::kSameBank && !standard.same_bank_refresh) {
    fail("refresh", "same-bank", what, accepted);
  }
}

// Refresh must leave time to open a row and read from it, or no request would ever be served.
void check_refresh(const Spec& spec) {
  if (spec.config.refresh == RefreshMode::kNone) return;
  const auto ticks = [&spec](std::string_view name) {
    const auto found = spec.timings.find(name);
    return found == spec.timings.end() ? Tick{0} : found->second;
  };
  const bool per_bank = spec.config.refresh == RefreshMode::kPerBank;
  const bool same_bank = spec.config.refresh == RefreshMode::kSameBank;
  const char* const cycle = per_bank ? "tRFCpb" : same_bank ? "tRFCsb" : "tRFC";
  const char* const round = same_bank ? "tREFI2" : "tREFI";
  Tick needed = ticks("tRAS") + std::max(ticks("tRP"), ticks("tRPab")) + ticks(cycle) +
                ticks("tRCDRD") + ticks("tBURST");
  if (per_bank) {  // every bank once per tREFI, and a tick for another command between two
    needed = std::max(needed, spec.geometry.banks_per_pseudo_channel() * (ticks("tRREFD") + 1));
  }
  if (same_bank)
    needed = std::max(needed, spec.geometry.banks * ticks(cycle));  // one after another
  if (ticks(round) > needed) return;
  const auto ns = [&spec](Tick value) {
    return text_of(static_cast<double>(value) * spec.tick_clock.period_ns());
  };
  fail(
      "timing", std::string(round) + '=' + ns(ticks(round)),
      "leaves no time between refreshes (" + std::string(cycle) + " = " + ns(ticks(cycle)) + " ns)",
      "more than " + ns(needed) + " ns, or a shorter " + cycle);
}

}  // namespace

Tick Spec::timing(std::string_view name) const {
  const auto found = timings.find(name);
  if (found != timings.end()) return found->second;
  std::string known;
  for (const auto& [key, ticks] : timings) known += (known.empty() ? "" : ", ") + key;
  fail("timing", std::string(name), "is not a timing of " + std::string(standard->name), known);
}

double Spec::energy(std::string_view name) const {
  const auto found = energies.find(name);
  if (found != energies.end()) return found->second;
  std::string known;
  for (const auto& [key, value] : energies) known += (known.empty() ? "" : ", ") + key;
  fail("energy", std::string(name), "is not an energy of " + std::string(standard->name), known);
}

Spec resolve(const Config& config) {
  check_policies(config);
  const Standard& standard = find_standard(config.standard, "hbm.standard");
  check_refresh_mode(config, standard);
  const int per_stack =
      config.channels_per_stack != 0 ? config.channels_per_stack : standard.channels_per_stack;
  const std::int64_t all_channels = static_cast<std::int64_t>(config.stacks) * per_stack;
  if (all_channels > kMostChannels) {
    fail("stacks", std::to_string(config.stacks),
         "times " + std::to_string(per_stack) + " channels are too many",
         "at most " + std::to_string(kMostChannels) + " channels together");
  }
  const int channels = static_cast<int>(all_channels);
  const std::int64_t bps = bits_per_second(config, standard, channels);
  Spec spec{.config = config,
            .standard = &standard,
            .geometry = geometry_of(config, standard, per_stack),
            .channels = channels,
            .tick_clock =
                core::Clock(core::kFsPerSecond * standard.bits_per_ck, bps * standard.ticks_per_ck),
            .peak_gb_per_s = static_cast<double>(bps) / 8e9 * standard.data_bits *
                             standard.pseudo_channels * channels,
            .timings = {},
            .energies = {},
            .rules = {},
            .align = {},
            .row_timeout = 0,
            .act_to_refresh = 0,
            .map = nullptr};
  add_timings(spec, bps);
  add_energies(spec);
  spec.row_timeout = to_ticks({"row_timeout_ns", config.row_timeout_ns, 1, ""}, bps, standard);
  for (const TimingRule& rule : standard.rules) {
    add_rule(spec, rule, evaluate(spec, rule.latency), rule.latency);
  }
  add_bus_rules(spec);
  check_refresh(spec);
  for (const Rule& rule : spec.rules) {
    if (config.refresh != RefreshMode::kSameBank || rule.scope == Scope::kBank) continue;
    if (!rule.from.contains(Command::kAct) || !rule.to.contains(Command::kRefSb)) continue;
    spec.act_to_refresh = std::max(spec.act_to_refresh, rule.ticks);
  }
  spec.align.fill(1);
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    for (const CommandShape& shape : standard.shapes) {
      if (shape.commands.contains(static_cast<Command>(kind))) spec.align[kind] = shape.align;
    }
  }
  const std::int64_t granule = config.interleave_bytes;
  if (granule < spec.geometry.burst_bytes ||
      !std::has_single_bit(static_cast<std::uint64_t>(granule)) || granule > (1 << 20)) {
    fail("interleave_bytes", std::to_string(granule), "is not a usable granule",
         "a power of two from one burst (" + std::to_string(spec.geometry.burst_bytes) +
             ") to 1048576");
  }
  spec.map = std::make_shared<const AddressMap>(spec);
  return spec;
}

}  // namespace ridgepoint::dram
