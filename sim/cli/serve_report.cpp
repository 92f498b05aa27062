// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/serve_report.hpp"

#include "sim/cli/text_model.hpp"
#include "sim/cli/trace_options.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::Distribution;
using workloads::Phase;
using workloads::ServingSummary;

double ms(double nanoseconds) { return nanoseconds / 1e6; }
double ms(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }
std::int64_t integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

double spent_ms(const ServingSummary& summary, Phase phase) {
  return ms(static_cast<double>(summary.spent[static_cast<std::size_t>(phase)]) /
            static_cast<double>(summary.measured));
}

void set_times(results::Row& row, const std::string& name, const Distribution& times) {
  if (times.count() == 0) return;
  row.set(name + "_mean_ms", ms(times.mean()))
      .set(name + "_p50_ms", ms(times.percentile(50)))
      .set(name + "_p99_ms", ms(times.percentile(99)));
}

void set_latencies(results::Row& row, const ServingSummary& summary) {
  set_times(row, "ttft", summary.ttft);
  set_times(row, "tpot", summary.tpot);
  set_times(row, "itl", summary.itl);
  set_times(row, "e2e", summary.e2e);
  const bool exact =
      summary.ttft.exact() && summary.tpot.exact() && summary.itl.exact() && summary.e2e.exact();
  row.set("percentiles_exact", exact ? "true" : "false");
  if (summary.measured == 0) return;
  row.set("queue_mean_ms", spent_ms(summary, Phase::kQueue))
      .set("prefill_mean_ms", spent_ms(summary, Phase::kPrefill))
      .set("decode_mean_ms", spent_ms(summary, Phase::kDecode));
}

void set_waits(results::Row& row, const ServingSummary& summary) {
  workloads::WideInteger all = 0;
  for (const auto part : summary.waited_ns) all += part;
  if (all == 0) return;
  for (std::size_t i = 0; i < workloads::kWaitReasons; ++i) {
    row.set("wait_" + std::string(workloads::kWaitReasonNames[i]) + "_ratio",
            static_cast<double>(summary.waited_ns[i]) / static_cast<double>(all));
  }
}

void set_counts(results::Row& row, const ServingSummary& summary, const ServeSetting& setting) {
  row.set("requests_count", integer(summary.requests))
      .set("completed_count", integer(summary.completed()))
      .set("rejected_count", integer(summary.rejected()))
      .set("running_max_count", summary.running_max)
      .set("kv_blocks_count", setting.kv_blocks)
      .set("preemptions_count", summary.preemptions)
      .set("recomputed_tokens_count", summary.recomputed_tokens)
      .set("resident_tokens_count", summary.resident_tokens)
      .set("prefix_hit_tokens_count", summary.prefix_hit_tokens)
      .set("swapped_bytes", summary.swapped_tokens * setting.real.kv_bytes_per_token)
      .set("steps_count", integer(summary.steps));
  for (std::size_t i = 1; i < workloads::kOutcomes; ++i) {
    row.set("rejected_" + std::string(workloads::kOutcomeNames[i]) + "_count",
            integer(summary.outcomes[i]));
  }
  if (summary.makespan == 0) return;
  row.set("makespan_s", static_cast<double>(summary.makespan) / 1e9)
      .set("output_tokens_per_s", summary.output_tokens_per_s())
      .set("running_mean_count", summary.running_mean())
      .set("kv_used_ratio", summary.kv_used_ratio());
  if (summary.full_ns > 0) row.set("running_full_mean_count", summary.running_mean_full());
}

void set_goodput(results::Row& row, const ServingSummary& summary, const config::Options& options) {
  const bool asked = options.has("serve.slo_ttft_ms") || options.has("serve.slo_tpot_ms") ||
                     options.has("serve.slo_e2e_ms");
  if (!asked || summary.makespan == 0) return;
  row.set("good_count", integer(summary.good))
      .set("goodput_requests_per_s", summary.goodput_per_s());
}

const char* flag(bool value) { return value ? "true" : "false"; }

}  // namespace

ServeTables::ServeTables(const Context& context, const ServeSetting& setting)
    : context_(context), setting_(setting), summary_(context.table("serve")) {
  const auto open = [&](const char* key, const char* kind) {
    const config::Options& options = context.options;
    if (!options.has(key)) return std::unique_ptr<results::TableWriter>();
    return std::make_unique<results::TableWriter>(results::table(kind), options.text(key),
                                                  context.out);
  };
  requests_ = open("serve.requests_csv", "serve_requests");
  steps_ = open("serve.steps_csv", "serve_steps");
}

ServeTables::~ServeTables() = default;

workloads::EngineObservers ServeTables::observers() {
  workloads::EngineObservers observers;
  if (requests_) {
    observers.request = [this](const workloads::RequestRecord& record) { add_request(record); };
  }
  if (steps_) observers.step = [this](const workloads::StepRecord& record) { add_step(record); };
  return observers;
}

void ServeTables::add_request(const workloads::RequestRecord& record, const TextResult* text) {
  if (!requests_) return;
  results::Row row(results::table("serve_requests"), context_.options);
  row.set("trace", setting_.trace)
      .set("request_id", std::to_string(record.id))
      .set("trace_line", std::to_string(record.line))
      .set("outcome", workloads::kOutcomeNames[static_cast<std::size_t>(record.outcome)])
      .set("measured", flag(record.measured))
      .set("arrival_s", static_cast<double>(record.arrival) / 1e9)
      .set("prompt_tokens_count", record.prompt_tokens)
      .set("output_tokens_count", record.output_tokens);
  if (record.outcome == workloads::Outcome::kCompleted) {
    row.set("ttft_ms", ms(record.ttft))
        .set("e2e_ms", ms(record.e2e))
        .set("queue_ms", ms(record.spent[0]))
        .set("prefill_ms", ms(record.spent[1]))
        .set("decode_ms", ms(record.spent[2]))
        .set("preemptions_count", record.preemptions)
        .set("recomputed_tokens_count", record.recomputed_tokens)
        .set("resident_tokens_count", record.resident_tokens)
        .set("prefix_hit_tokens_count", record.prefix_hit_tokens);
    if (record.tpot >= 0) row.set("tpot_ms", ms(record.tpot));
    row.set("generated_tokens_count", record.outputs);
  }
  if (text != nullptr) {
    row.set("generated_tokens", joined(text->tokens)).set("text", text->text);
    if (text->same_alone) row.set("same_alone", flag(*text->same_alone));
  }
  requests_->add(row);
}

void ServeTables::add_step(const workloads::StepRecord& record) {
  const std::int64_t bytes = setting_.real.kv_bytes_per_token;
  results::Row row(results::table("serve_steps"), context_.options);
  row.set("trace", setting_.trace)
      .set("step_id", std::to_string(record.step))
      .set("start_s", static_cast<double>(record.start) / 1e9)
      .set("duration_ms", ms(record.duration))
      .set("new_tokens_count", record.new_tokens)
      .set("sampled_count", record.sampled_rows)
      .set("running_count", record.running)
      .set("waiting_count", record.waiting)
      .set("preempted_count", record.preempted)
      .set("kv_used_bytes", record.kv.used * bytes)
      .set("kv_block_internal_bytes", record.kv.block_internal * bytes)
      .set("kv_reserved_unused_bytes", record.kv.reserved_unused * bytes)
      .set("kv_cached_evictable_bytes", record.kv.cached_evictable * bytes)
      .set("kv_cached_pinned_bytes", record.kv.cached_pinned * bytes)
      .set("kv_free_bytes", record.kv.free * bytes)
      .set("kv_null_block_bytes", record.kv.null_block * bytes);
  if (record.waiting > 0) {
    row.set("wait_reason",
            workloads::kWaitReasonNames[static_cast<std::size_t>(record.wait_reason)]);
  }
  steps_->add(row);
}

void ServeTables::finish(const ServingSummary& summary, const workloads::GridStepTime* grid,
                         const workloads::GridStepTime::Error& error,
                         const workloads::TraceProblems& problems) {
  const config::Options& options = context_.options;
  results::Row row(results::table("serve"), options);
  row.set("machine", options.text("machine.name"))
      .set("model", setting_.model)
      .set("trace", setting_.trace);
  set_counts(row, summary, setting_);
  set_latencies(row, summary);
  set_waits(row, summary);
  set_goodput(row, summary, options);
  if (grid != nullptr) {
    row.set("machine_points_count", static_cast<std::int64_t>(grid->machine_points()));
    if (error.points > 0) {
      row.set("grid_error_median_ratio", error.median_ratio)
          .set("grid_error_max_ratio", error.worst_ratio)
          .set("mixed_batch_error_max_ratio", error.attention_worst_ratio);
    }
  }
  summary_.add(row);
  summary_.finish();
  if (requests_) requests_->finish();
  if (steps_) steps_->finish();
  context_.say(serve_text(summary));
  const std::string left_out = problems_text(problems);
  if (!left_out.empty()) context_.say(left_out);
  if (options.enabled("serve.story")) context_.say(story_text(summary, setting_));
}

}  // namespace ridgepoint::cli
