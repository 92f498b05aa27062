// SPDX-License-Identifier: Apache-2.0
// capacity: the highest arrival rate, the fewest machines or the smallest memory that meets service
// levels, by serving the trace again and again.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "results/text_table.hpp"
#include "sim/cli/capacity_probe.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/plan_input.hpp"
#include "sim/cli/step_times.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/config/bind_machine.hpp"
#include "workloads/serving/limit_search.hpp"
#include "workloads/traces/info.hpp"
#include "workloads/traces/transform.hpp"

namespace ridgepoint::cli {
namespace {

constexpr double kMostRateFactor = 1 << 20;  // of the trace's own rate, either way

std::string number(double value, int digits = 4) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return text.str();
}

struct Tried {
  double value = 0;
  double memory_gib = 0;
  ProbePoint point;
  ProbeResult result;
};

class CapacitySearch {
 public:
  explicit CapacitySearch(const Context& context);
  int run();

 private:
  double rate_of_trace() const;
  workloads::LimitSearch search() const;
  ProbePoint point_of(double value) const;
  bool try_value(double value);
  // `next`: of the answer, why the next value misses.
  void add_row(results::TableWriter& table, const Tried& tried, std::size_t id, bool answer,
               const std::string& next) const;
  std::string table_text() const;
  std::string answer_text(const workloads::LimitFound& found) const;
  const Tried* tried_at(const std::optional<double>& value) const;
  std::string unit() const;
  std::string with_unit(double value) const;

  const Context& context_;
  const config::Options& options_;
  const workloads::ModelShape& shape_;
  ServeSetting setting_;
  soc::Machine machine_;
  StepTimes times_;
  std::string seek_;
  double rate_ = 0;  // of the trace as the options give it
  std::vector<Tried> tried_;
};

CapacitySearch::CapacitySearch(const Context& context)
    : context_(context),
      options_(context.options),
      shape_(model_of(options_)),
      setting_(serve_setting_of(options_, shape_)),
      machine_(config::machine_config(options_)),
      times_(options_, machine_, shape_, setting_),
      seek_(options_.text("capacity.seek")) {
  rate_ = rate_of_trace();
}

// 0: all requests arrive at once, which only a search for a rate cannot use.
double CapacitySearch::rate_of_trace() const {
  const auto trace = trace_of(options_, setting_.trace);
  if (seek_ == "rate") return workloads::mean_rate(*trace);
  const workloads::TraceInfo info = workloads::analyse_trace(*trace);
  return info.span > 0 ? info.requests_per_s() : 0;
}

std::string CapacitySearch::unit() const {
  return seek_ == "rate" ? "requests/s" : seek_ == "machines" ? "machines" : "GiB";
}

std::string CapacitySearch::with_unit(double value) const {
  return number(value) + ' ' + (seek_ == "machines" && value == 1 ? "machine" : unit());
}

workloads::LimitSearch CapacitySearch::search() const {
  workloads::LimitSearch search;
  search.tolerance = options_.real("capacity.tolerance");
  if (seek_ == "rate") {
    search.start = rate_;
    search.least = rate_ / kMostRateFactor;
    search.most = rate_ * kMostRateFactor;
    return search;
  }
  search.holds_below = false;
  if (seek_ == "machines") {
    search.whole = true;
    search.start = search.least = 1;
    // More machines than requests would stand idle.
    const auto requests = static_cast<std::int64_t>(
        workloads::analyse_trace(*trace_of(options_, setting_.trace)).requests);
    search.most = static_cast<double>(
        std::clamp<std::int64_t>(requests, 1, options_.integer("capacity.most_machines")));
    return search;
  }
  // From the first memory that holds the weights and two blocks.
  const double all = static_cast<double>(config::memory_bytes(options_)) / std::exp2(30);
  search.start = search.most = all;
  search.least = all * 1e-3;
  return search;
}

ProbePoint CapacitySearch::point_of(double value) const {
  ProbePoint point;
  point.setting = setting_;
  if (seek_ == "rate") point.time_scale = rate_ / value;
  if (seek_ == "machines") point.machines = static_cast<std::int64_t>(value);
  if (seek_ == "memory") {
    workloads::CapacityInput input = capacity_input_of(options_, shape_);
    input.memory_bytes = std::llround(value * std::exp2(30));
    point.setting.real = workloads::realistic_capacity(shape_, input);
    point.setting.naive = workloads::naive_capacity(shape_, input);
    point.setting.kv_blocks = point.setting.real.kv_blocks;
  }
  return point;
}

bool CapacitySearch::try_value(double value) {
  Tried tried;
  tried.value = value;
  tried.memory_gib = seek_ == "memory"
                         ? value
                         : static_cast<double>(config::memory_bytes(options_)) / std::exp2(30);
  tried.point = point_of(value);
  if (tried.point.setting.kv_blocks < 2) {
    tried.result.limit = "the weights leave no room for cache";
  } else {
    tried.result = probe(options_, tried.point, times_.model(), shape_.name);
  }
  context_.say("tried " + with_unit(value) + ": " +
               (tried.result.met ? "met" : "missed, " + tried.result.limit));
  tried_.push_back(std::move(tried));
  return tried_.back().result.met;
}

const Tried* CapacitySearch::tried_at(const std::optional<double>& value) const {
  for (const Tried& one : tried_) {
    if (value && one.value == *value) return &one;
  }
  return nullptr;
}

void CapacitySearch::add_row(results::TableWriter& table, const Tried& tried, std::size_t id,
                             bool answer, const std::string& next) const {
  const ProbeResult& result = tried.result;
  results::Row row(results::table("capacity"), options_);
  row.set("machine", options_.text("machine.name"))
      .set("model", shape_.name)
      .set("trace", setting_.trace)
      .set("probe_id", std::to_string(id))
      .set("machines_count", tried.point.machines)
      .set("memory_gib", tried.memory_gib)
      .set("kv_blocks_count", tried.point.setting.kv_blocks)
      .set("met", result.met ? "true" : "false")
      .set("answer", answer ? "true" : "false")
      .set("limit", answer ? next : result.limit);
  if (rate_ > 0) row.set("arrival_requests_per_s", rate_ / tried.point.time_scale);
  if (result.requests > 0) {
    row.set("requests_count", result.requests)
        .set("rejected_count", result.rejected)
        .set("good_ratio", result.good_ratio())
        .set("goodput_requests_per_s", result.goodput_per_s)
        .set("output_tokens_per_s", result.output_tokens_per_s)
        .set("running_mean_count", result.running_mean)
        .set("preemptions_count", result.preemptions);
  }
  const double percent = options_.real("capacity.percentile");
  const auto set_level = [&](const char* column, const workloads::Distribution& times) {
    const std::int64_t at = level_at(times, percent, result.missed);
    if (at >= 0) row.set(column, static_cast<double>(at) / 1e6);
  };
  set_level("ttft_ms", result.ttft);
  set_level("tpot_ms", result.tpot);
  set_level("e2e_ms", result.e2e);
  table.add(row);
}

std::string CapacitySearch::table_text() const {
  const std::string percentile = 'p' + number(options_.real("capacity.percentile"));
  std::vector<results::TextRow> rows;
  const auto level = [&](const workloads::Distribution& times, const ProbeResult& result) {
    const std::int64_t at = level_at(times, options_.real("capacity.percentile"), result.missed);
    return at >= 0 ? number(static_cast<double>(at) / 1e6) : std::string();
  };
  std::vector<const Tried*> order;
  for (const Tried& one : tried_) order.push_back(&one);
  std::sort(order.begin(), order.end(),
            [](const Tried* left, const Tried* right) { return left->value < right->value; });
  for (const Tried* one : order) {
    const ProbeResult& result = one->result;
    rows.push_back({number(one->value), result.met ? "met" : "missed", level(result.ttft, result),
                    level(result.tpot, result), number(100 * result.good_ratio()),
                    number(result.output_tokens_per_s), number(result.running_mean),
                    std::to_string(result.preemptions), std::to_string(result.rejected)});
  }
  return results::aligned_table(
      {unit(), "levels", "TTFT " + percentile + " ms", "TPOT " + percentile + " ms", "good %",
       "tokens/s", "running", "preempted", "rejected"},
      rows);
}

std::string CapacitySearch::answer_text(const workloads::LimitFound& found) const {
  const Tried* failing = tried_at(found.fails);
  const std::string limit = failing != nullptr ? "\nlimited by: " + failing->result.limit
                                               : "\nlimited by: nothing that was tried";
  if (!found.holds) {
    return "no " + std::string(seek_ == "rate" ? "rate" : seek_) +
           " that was tried meets the levels" + limit;
  }
  const std::string what = seek_ == "rate"       ? "highest arrival rate that meets"
                           : seek_ == "machines" ? "fewest machines that meet"
                                                 : "smallest memory that meets";
  std::string text = what + " the levels: " + with_unit(*found.holds);
  if (failing != nullptr) text += " (" + number(*found.fails) + " misses them)";
  return text + limit;
}

int CapacitySearch::run() {
  results::TableWriter table = context_.table("capacity");
  const workloads::LimitFound found =
      workloads::find_limit(search(), [this](double value) { return try_value(value); });
  const bool answer_only = options_.enabled("capacity.answer_only");
  const std::optional<double> shown = found.holds ? found.holds : found.fails;
  for (std::size_t i = 0; i < tried_.size(); ++i) {
    const bool answer = found.holds && tried_[i].value == *found.holds;
    const std::string next = answer && found.fails ? tried_at(found.fails)->result.limit : "";
    if (answer_only && tried_[i].value != shown) continue;
    add_row(table, tried_[i], i + 1, answer, next);
  }
  table.finish();
  context_.say(table_text());
  context_.say(answer_text(found));
  if (const std::string text = times_.cache_text(); !text.empty()) context_.say(text);
  return 0;
}

void check_options(const config::Options& options) {
  if (!options.has("serve.slo_ttft_ms") && !options.has("serve.slo_tpot_ms") &&
      !options.has("serve.slo_e2e_ms")) {
    throw core::InputError(
        "capacity needs a service level; accepted: --slo-ttft-ms, --slo-tpot-ms, --slo-e2e-ms");
  }
  if (options.text("capacity.seek") == "memory" && options.has("serve.kv_blocks")) {
    options.fail("serve.kv_blocks", "fixes what --seek memory looks for", "one of the two");
  }
  if (options.text("capacity.seek") == "rate" && options.integer("serve.closed_loop") > 0) {
    options.fail("serve.closed_loop", "has no arrival rate to look for", "0 with --seek rate");
  }
}

}  // namespace

int capacity_command(const Context& context) {
  check_options(context.options);
  return CapacitySearch(context).run();
}

}  // namespace ridgepoint::cli
