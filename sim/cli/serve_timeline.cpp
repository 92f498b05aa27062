// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/serve_timeline.hpp"

#include <algorithm>

namespace ridgepoint::cli {
namespace {

constexpr core::Femtoseconds kFsPerNs = core::kFsPerNs;
constexpr core::Femtoseconds kMinute = 60'000'000'000 * kFsPerNs;
constexpr probe::Track kSteps{1, 1};
constexpr std::int64_t kRequests = 2;

std::string member(std::string_view name, std::int64_t value) {
  return '"' + std::string(name) + "\":" + std::to_string(value);
}

}  // namespace

ServeTimeline::ServeTimeline(const config::Options& options, std::int64_t kv_bytes_per_token)
    : kv_bytes_per_token_(kv_bytes_per_token) {
  for (const char* key : {"run.vcd", "run.timeline_cores", "run.timeline_channels"}) {
    if (!options.has(key) || options.origin(key).kind == config::Origin::Kind::kDefault) continue;
    options.fail(key,
                 "needs the machine, but a served trace takes the times of its kernels from "
                 "a table",
                 "--timeline alone, or --prompts");
  }
  if (!options.has("run.timeline")) {
    require_nothing_to_draw(options);
    return;
  }
  window_ = timeline_window_of(options);
  if (options.origin("run.timeline_window_us").kind == config::Origin::Kind::kDefault) {
    window_.to = kMinute;
  }
  file_ = std::make_unique<results::OutputFile>(options.text("run.timeline"));
  trace_ = std::make_unique<probe::ChromeTrace>(
      [file = file_.get()](std::string_view text) { file->write(text); });
  trace_->name_process(kSteps.process, "engine");
  trace_->name_track(kSteps, "steps");
  trace_->name_process(kRequests, "requests");
}

workloads::EngineObservers ServeTimeline::observe(workloads::EngineObservers observers) {
  if (!trace_) return observers;
  observers.step = [this, next = observers.step](const workloads::StepRecord& record) {
    if (next) next(record);
    step(record);
  };
  observers.request = [this, next = observers.request](const workloads::RequestRecord& record) {
    if (next) next(record);
    request(record);
  };
  return observers;
}

void ServeTimeline::step(const workloads::StepRecord& record) {
  const core::Femtoseconds from = record.start * kFsPerNs;
  const core::Femtoseconds to = (record.start + record.duration) * kFsPerNs;
  if (to <= window_.from || from >= window_.to) return;
  trace_->slice(kSteps, "step", std::to_string(record.new_tokens) + " tokens", from, to,
                member("sampled", record.sampled_rows) + ',' + member("running", record.running) +
                    ',' + member("waiting", record.waiting) + ',' +
                    member("preempted", record.preempted));
  trace_->counter(kSteps, "requests running", from, record.running);
  trace_->counter(kSteps, "requests waiting", from, record.waiting);
  trace_->counter(kSteps, "cache in use, bytes", from, record.kv.used * kv_bytes_per_token_);
}

void ServeTimeline::request(const workloads::RequestRecord& record) {
  const bool inside = record.arrival * kFsPerNs < window_.to &&
                      (record.arrival + record.e2e) * kFsPerNs > window_.from;
  if (record.outcome != workloads::Outcome::kCompleted || !inside) return;
  requests_.push_back(record);
  requests_.back().tokens = {};
}

// Each request on the first line that is free when it arrives.
void ServeTimeline::finish() {
  if (!trace_) return;
  std::sort(requests_.begin(), requests_.end(), [](const auto& a, const auto& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.id < b.id;
  });
  std::vector<workloads::Nanoseconds> free_from;
  for (const workloads::RequestRecord& one : requests_) {
    const auto line = std::find_if(free_from.begin(), free_from.end(),
                                   [&](workloads::Nanoseconds at) { return at <= one.arrival; });
    const probe::Track track{kRequests, line - free_from.begin() + 1};
    const workloads::Nanoseconds end = one.arrival + one.e2e;
    if (line == free_from.end()) {
      free_from.push_back(end);
      trace_->name_track(track, "line " + std::to_string(track.id));
    } else {
      *line = end;
    }
    const core::Femtoseconds first = (one.arrival + one.ttft) * kFsPerNs;
    const std::string facts = member("prompt_tokens", one.prompt_tokens) + ',' +
                              member("output_tokens", one.output_tokens) + ',' +
                              member("preemptions", one.preemptions);
    const std::string name = "request " + std::to_string(one.id);
    trace_->slice(track, "first token", name + ": first token", one.arrival * kFsPerNs, first,
                  facts);
    trace_->slice(track, "output", name + ": output", first, end * kFsPerNs, facts);
  }
  trace_->finish();
  file_->commit();
}

}  // namespace ridgepoint::cli
