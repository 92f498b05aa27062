// SPDX-License-Identifier: Apache-2.0
// dram: the memory alone, under a pattern or a trace.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <optional>

#include "results/csv_writer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/dram/replay.hpp"
#include "sim/cli/energy_cells.hpp"
#include "sim/cli/line.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/config/number.hpp"
#include "sim/dram/checker/trace_file.hpp"

namespace ridgepoint::cli {
namespace {

PatternConfig pattern_of(const config::Options& options, const dram::Spec& spec) {
  const auto count = [&](std::string_view key) {
    return static_cast<std::uint64_t>(options.integer(key));
  };
  const auto capacity = static_cast<std::uint64_t>(spec.total_bytes());
  PatternConfig pattern;
  pattern.name = options.text("dram.pattern");
  pattern.bytes = count("dram.bytes");
  pattern.request_bytes = static_cast<std::uint32_t>(count("dram.request_bytes"));
  pattern.span_bytes = std::min(capacity, std::uint64_t{1} << 32);
  if (options.has("dram.span_bytes")) pattern.span_bytes = count("dram.span_bytes");
  pattern.stride = count("dram.stride");
  pattern.read_share = pattern.name == "mix" ? 2.0 / 3.0 : 1.0;
  if (options.has("dram.read_share")) pattern.read_share = options.real("dram.read_share");
  pattern.streams = count("dram.streams");
  pattern.page_bytes = count("dram.page_bytes");
  pattern.seed = count("general.seed");
  if (pattern.span_bytes > capacity) {
    options.fail("dram.span_bytes", "is more than the memory holds",
                 "at most " + std::to_string(capacity));
  }
  const std::uint64_t least =
      pattern.name == "streams" ? pattern.streams * pattern.request_bytes : pattern.request_bytes;
  if (pattern.span_bytes < least) {
    options.fail("dram.request_bytes", "does not fit dram.span_bytes",
                 "a span of at least " + std::to_string(least) + " bytes");
  }
  const bool by_bank = pattern.name == "conflict" || pattern.name == "rowmiss";
  if (by_bank && pattern.request_bytes > spec.config.interleave_bytes) {
    options.fail("dram.request_bytes", "does not stay in one channel",
                 "at most hbm.interleave_bytes (" + std::to_string(spec.config.interleave_bytes) +
                     ") with pattern " + pattern.name);
  }
  if (pattern.name == "paged_kv" &&
      (pattern.page_bytes < pattern.request_bytes || pattern.page_bytes > pattern.span_bytes)) {
    options.fail("dram.page_bytes", "does not fit",
                 "from dram.request_bytes to dram.span_bytes (" +
                     std::to_string(pattern.request_bytes) + " .. " +
                     std::to_string(pattern.span_bytes) + ')');
  }
  return pattern;
}

std::unique_ptr<Source> source_of(const config::Options& options, const dram::Spec& spec) {
  if (!options.has("serve.trace")) return make_pattern(pattern_of(options, spec), spec);
  return read_access_trace(options.text("serve.trace"),
                           static_cast<std::uint32_t>(options.integer("dram.request_bytes")),
                           static_cast<std::uint64_t>(spec.total_bytes()));
}

// Writes the commands of all channels as they come.
class TraceWriter {
 public:
  TraceWriter(const std::string& path, const dram::Spec& spec) : file_(path) {
    text_ = dram::checker::trace_header(dram::checker::limits_of(spec), spec.standard->name,
                                        spec.tick_clock.period_ns());
  }
  void add(int channel, const dram::IssuedCommand& issued) {
    text_ +=
        dram::checker::trace_line(channel, {issued.tick, issued.command, issued.pc, issued.sid,
                                            issued.bg, issued.bank, issued.row, issued.column});
    if (text_.size() > kBlock) file_.write(text_), text_.clear();
  }
  void finish(dram::Tick end) {
    file_.write(text_ + dram::checker::trace_end(end));
    file_.commit();
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;
  results::OutputFile file_;
  std::string text_;
};

// Says every few seconds how far it is: a trace may hold hours of simulated time, of which even an
// idle memory refreshes every bit.
class Heartbeat {
 public:
  explicit Heartbeat(const Context& context) : context_(context) {}
  void operator()(core::Femtoseconds now) {
    if (++calls_ % 256 != 0) return;
    const auto time = std::chrono::steady_clock::now();
    if (time < next_) return;
    next_ = time + kInterval;
    context_.say("still running: " + std::to_string(now / (core::kFsPerNs * 1'000'000)) +
                 " ms of simulated time so far");
  }

 private:
  static constexpr std::chrono::seconds kInterval{4};
  const Context& context_;
  std::uint64_t calls_ = 0;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
};

struct Figures {
  double time_ns, gb_per_s, ratio;
  std::optional<double> refresh_bound;
};

Figures figures_of(const dram::Spec& spec, const ReplayResult& result) {
  Figures figures{};
  figures.time_ns = static_cast<double>(result.last_byte) / core::kFsPerNs;
  figures.gb_per_s = static_cast<double>(result.stats.pin_bytes()) / figures.time_ns;
  figures.ratio = figures.gb_per_s / spec.peak_gb_per_s;
  const bool all_bank = spec.config.refresh == dram::RefreshMode::kAllBank;
  if (!all_bank) figures.refresh_bound = 1;
  if (all_bank && spec.geometry.stack_ids == 1) {
    const dram::Tick tRPab = spec.timing(spec.timings.contains("tRPab") ? "tRPab" : "tRP");
    const dram::Tick lost =
        spec.timing("tRTP") + tRPab + spec.timing("tRFC") + spec.timing("tRCDRD");
    figures.refresh_bound =
        1 - static_cast<double>(lost) / static_cast<double>(spec.timing("tREFI"));
  }
  return figures;
}

[[noreturn]] void fail_check(const std::string& what) {
  throw core::CheckError("dram: " + what + ": this is a defect");
}

// What no memory can do, and books that must balance.
void check(const dram::Spec& spec, const ReplayResult& result, const Figures& figures) {
  const dram::ChannelStats& stats = result.stats;
  std::int64_t sum = stats.busy_ticks;
  for (const std::int64_t lost : stats.lost_ticks) sum += lost;
  if (sum != stats.total_ticks) fail_check("busy and lost time do not sum to the total");
  std::int64_t useful = 0;
  for (std::size_t kind = 0; kind < core::kTrafficKinds; ++kind) {
    useful += stats.read_useful_bytes[kind] + stats.write_useful_bytes[kind];
  }
  if (useful != result.read_bytes + result.write_bytes) {
    fail_check("bytes moved are not the bytes asked for");
  }
  if (figures.ratio > 1) fail_check("bandwidth is above the peak");
  if (spec.config.refresh != dram::RefreshMode::kAllBank || spec.geometry.stack_ids != 1) return;
  // Around a REFab nothing moves from the last burst before it to the first one after it; the one
  // before the end of the run may be cut off.
  const dram::Tick around = spec.timing("tRTP") + spec.timing("tRP") + spec.timing("tRFC") +
                            std::min(spec.timing("tRCDRD"), spec.timing("tRCDWR")) -
                            spec.timing("tBURST");
  // At least as many as are due, less those that may be postponed.
  const std::int64_t buses =
      static_cast<std::int64_t>(spec.channels) * spec.geometry.pseudo_channels;
  const std::int64_t owed =
      stats.total_ticks / spec.timing("tREFI") - (spec.config.refresh_postpone + 1) * buses;
  const std::int64_t done = stats.commands[static_cast<std::size_t>(dram::Command::kRefAb)] - buses;
  const std::int64_t refreshes = std::max<std::int64_t>({owed, done, 0});
  if (stats.busy_ticks + refreshes * around > stats.total_ticks) {
    fail_check("bandwidth is above what refresh leaves");
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void fill_counts(results::Row& row, const dram::Spec& spec, const ReplayResult& result) {
  const dram::ChannelStats& stats = result.stats;
  std::int64_t read = 0;
  for (const std::int64_t bytes : stats.read_pin_bytes) read += bytes;
  row.set("hbm_read_bytes", read)
      .set("hbm_write_bytes", stats.pin_bytes() - read)
      .set("bits_count", stats.pin_bytes() * 8)
      .set("row_hits_count", stats.row_hits)
      .set("row_misses_count", stats.row_misses)
      .set("row_conflicts_count", stats.row_conflicts)
      .set("forwarded_bursts_count", stats.forwarded_bursts)
      .set("pieces_count", result.latency.count());
  for (std::size_t kind = 0; kind < dram::kCommandKinds; ++kind) {
    row.set(lower(dram::kCommandNames[kind]) + "_count", stats.commands[kind]);
  }
  const double tick_ns = spec.tick_clock.period_ns();
  row.set("latency_mean_ns", result.latency.mean() * tick_ns)
      .set("latency_p50_ns", static_cast<double>(result.latency.quantile(0.5)) * tick_ns)
      .set("latency_p99_ns", static_cast<double>(result.latency.quantile(0.99)) * tick_ns)
      .set("queued_bursts_mean_count",
           static_cast<double>(stats.queue_wait_ticks) /
               (static_cast<double>(result.end) * static_cast<double>(spec.channels)));
  const auto share = [&](std::int64_t ticks) {
    return static_cast<double>(ticks) / static_cast<double>(stats.total_ticks);
  };
  row.set("hbm_busy_ratio", share(stats.busy_ticks));
  for (std::size_t reason = 0; reason < dram::kLostReasons; ++reason) {
    row.set("hbm_" + std::string(dram::kLostNames[reason]) + "_ratio",
            share(stats.lost_ticks[reason]));
  }
}

results::Row row_of(const Context& context, const dram::Spec& spec, const ReplayResult& result,
                    const Figures& figures) {
  results::Row row(results::table("dram"), context.options);
  row.set("machine", context.options.text("machine.name")).set("standard", spec.standard->name);
  if (context.options.has("serve.trace")) row.set("pattern", "trace");
  row.set("bytes", result.read_bytes + result.write_bytes)
      .set("read_share_ratio",
           static_cast<double>(result.reads) / static_cast<double>(result.reads + result.writes))
      .set("time_ns", figures.time_ns)
      .set("gb_per_s", figures.gb_per_s)
      .set("peak_gb_per_s", spec.peak_gb_per_s)
      .set("hbm_bandwidth_ratio", figures.ratio);
  if (figures.refresh_bound) row.set("refresh_bound_ratio", *figures.refresh_bound);
  fill_counts(row, spec, result);
  fill_energy(row, spec, result.stats);
  return row;
}

void write_heat(const Context& context, const dram::Spec& spec, const ReplayResult& result) {
  const std::vector<std::string> header{"channel",           "pc",          "sid", "bg", "bank",
                                        "activations_count", "bursts_count"};
  results::TableWriter writer(header, context.options.text("dram.heat_csv"), context.out);
  const dram::Geometry& geometry = spec.geometry;
  for (std::size_t channel = 0; channel < result.channels.size(); ++channel) {
    for (int bank = 0; bank < geometry.total_banks(); ++bank) {
      const auto at = [&](dram::Scope scope, int parts) {
        return std::to_string(geometry.node_of(scope, bank) % parts);
      };
      const auto index = static_cast<std::size_t>(bank);
      writer.add(std::vector<std::string>{
          std::to_string(channel), at(dram::Scope::kPseudoChannel, geometry.pseudo_channels),
          at(dram::Scope::kStackId, geometry.stack_ids),
          at(dram::Scope::kBankGroup, geometry.bank_groups), at(dram::Scope::kBank, geometry.banks),
          std::to_string(result.channels[channel].bank_activations[index]),
          std::to_string(result.channels[channel].bank_bursts[index])});
    }
  }
  writer.finish();
}

void write_latency(const Context& context, const dram::Spec& spec, const ReplayResult& result) {
  const std::vector<std::string> header{"at_least_ns", "at_most_ns", "pieces_count"};
  results::TableWriter writer(header, context.options.text("dram.latency_csv"), context.out);
  const double tick_ns = spec.tick_clock.period_ns();
  for (const LatencyHistogram::Bucket& bucket : result.latency.buckets()) {
    writer.add(std::vector<std::string>{
        config::format_real(static_cast<double>(bucket.least) * tick_ns),
        config::format_real(static_cast<double>(bucket.greatest) * tick_ns),
        std::to_string(bucket.count)});
  }
  writer.finish();
}

std::string fixed(double value) { return line("%.1f", value); }

std::string summary_of(const results::Row& row, const Figures& figures, const ReplayResult& result,
                       const dram::Spec& spec) {
  const double tick_ns = spec.tick_clock.period_ns();
  std::string text = row.text("standard") + ", " + row.text("pattern") + ": " + row.text("bytes") +
                     " bytes in " + fixed(figures.time_ns) + " ns, " + fixed(figures.gb_per_s) +
                     " of " + fixed(spec.peak_gb_per_s) + " GB/s (" + fixed(100 * figures.ratio) +
                     " %";
  if (figures.refresh_bound) {
    text += "; refresh leaves " + fixed(100 * *figures.refresh_bound) + " % in the long run";
  }
  text += ")\nlatency: mean " + fixed(result.latency.mean() * tick_ns) + ", median " +
          fixed(static_cast<double>(result.latency.quantile(0.5)) * tick_ns) + ", 99 % below " +
          fixed(static_cast<double>(result.latency.quantile(0.99)) * tick_ns) +
          " ns\nbursts: " + row.text("row_hits_count") + " row hits, " +
          row.text("row_misses_count") + " misses, " + row.text("row_conflicts_count") +
          " conflicts\ndata bus: busy " +
          fixed(100.0 * static_cast<double>(result.stats.busy_ticks) /
                static_cast<double>(result.stats.total_ticks)) +
          " %";
  for (std::size_t reason = 0; reason < dram::kLostReasons; ++reason) {
    if (result.stats.lost_ticks[reason] == 0) continue;
    text += ", " + std::string(dram::kLostNames[reason]) + ' ' +
            fixed(100.0 * static_cast<double>(result.stats.lost_ticks[reason]) /
                  static_cast<double>(result.stats.total_ticks)) +
            " %";
  }
  const dram::Energy energy = dram::energy_of(spec, result.stats);
  const auto bits = static_cast<double>(result.stats.pin_bytes() * 8);
  text += "\nenergy: " + fixed(energy.total() / 1e6) + " uJ, " +
          line("%.2f pJ/bit (rows %.2f, columns %.2f, pins %.2f, refresh %.2f, standby %.2f)",
               energy.total() / bits, energy.act / bits, (energy.read + energy.write) / bits,
               energy.io / bits, energy.refresh / bits, energy.background / bits);
  return text;
}

}  // namespace

int dram_command(const Context& context) {
  const config::Options& options = context.options;
  const auto spec = std::make_shared<const dram::Spec>(dram::resolve(config::dram_config(options)));
  const std::unique_ptr<Source> source = source_of(options, *spec);
  results::TableWriter table = context.table("dram");
  std::optional<TraceWriter> writer;
  ChannelObserver observer;
  if (options.has("dram.command_trace")) {
    writer.emplace(options.text("dram.command_trace"), *spec);
    observer = [&](int channel, const dram::IssuedCommand& issued) {
      writer->add(channel, issued);
    };
  }
  const ReplayResult result =
      replay(spec, *source, static_cast<int>(options.integer("dram.outstanding")), observer,
             Heartbeat(context));
  const Figures figures = figures_of(*spec, result);
  check(*spec, result, figures);
  const results::Row row = row_of(context, *spec, result, figures);
  table.add(row);
  if (writer) writer->finish(result.end);
  if (options.has("dram.heat_csv")) write_heat(context, *spec, result);
  if (options.has("dram.latency_csv")) write_latency(context, *spec, result);
  table.finish();
  context.say(summary_of(row, figures, result, *spec));
  return 0;
}

}  // namespace ridgepoint::cli
