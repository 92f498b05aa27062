// SPDX-License-Identifier: Apache-2.0
// Hand-worked schedules as text. Every step takes 1 ms; a request's arrival is given in steps. One
// line per step:
//   "A1* B3 +C4*h8 -D ?kv_blocks"
// A got 1 token and sampled (*); B got 3; C was let in (+) with 4 new tokens behind 8 found in the
// prefix cache (h8), and sampled; D was preempted (-); somebody waits because of kv_blocks (?).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workloads/serving/engine.hpp"

namespace ridgepoint::workloads::scenario {

struct Job {
  double arrival_steps = 0;
  std::int64_t prompt = 1;
  std::int64_t outputs = 1;
  std::vector<std::uint64_t> ids = {};  // one per block of 4 tokens
};

struct Case {
  std::int64_t usable_blocks = 100;  // one more for the null block
  SchedulerLimits limits{.max_num_batched_tokens = 100,
                         .max_num_seqs = 100,
                         .long_prefill_threshold = 0,
                         .max_model_len = 1000};
  bool prefix_cache = true;
  std::string policy = "paged";
  std::string scheduler = "v1";
  std::int64_t reserve_tokens = 16;
  std::int64_t pin_tokens = 0;
  double pin_share = 0.5;
  std::vector<Job> jobs;
};

struct Outcomes {
  std::vector<std::string> steps;
  std::vector<RequestRecord> records;  // in order of id
  ServingSummary summary;
  KvUsage usage;  // when all is done
};

class FixedStep final : public StepTimeModel {
 public:
  core::Femtoseconds step_time(const StepBatch&) override { return 1'000'000 * core::kFsPerNs; }
};

class JobTrace final : public TraceSource {
 public:
  explicit JobTrace(std::vector<Job> jobs) : jobs_(std::move(jobs)) {}
  bool next(TraceRequest& request) override {
    if (at_ == jobs_.size()) return false;
    const Job& job = jobs_[at_++];
    request.line = at_;
    request.arrival = static_cast<Nanoseconds>(job.arrival_steps * 1e6);
    request.prompt_tokens = job.prompt;
    request.output_tokens = job.outputs;
    request.block_ids = job.ids;
    request.block_tokens = 4;
    return true;
  }
  const TraceProblems& problems() const override { return problems_; }

 private:
  std::vector<Job> jobs_;
  std::size_t at_ = 0;
  TraceProblems problems_;
};

inline std::string name_of(const Request* request) {
  return std::string(1, static_cast<char>('A' + request->id));
}

inline std::string line_of(const StepPlan& plan, const SchedulerState& state) {
  std::string line;
  for (const ScheduledSequence& sequence : plan.sequences) {
    const Request* request = sequence.request;
    bool admitted = false;
    for (const Request* other : plan.admitted) admitted = admitted || other == request;
    line += (line.empty() ? "" : " ") + std::string(admitted ? "+" : "") + name_of(request) +
            std::to_string(sequence.new_tokens);
    if (request->computed + sequence.new_tokens == request->known()) line += '*';
    if (admitted && request->computed > 0) line += 'h' + std::to_string(request->computed);
  }
  for (const Request* request : plan.preempted) line += " -" + name_of(request);
  if (!state.waiting.empty()) {
    line += " ?" + std::string(kWaitReasonNames[static_cast<std::size_t>(plan.wait_reason)]);
  }
  return line;
}

inline Outcomes run(const Case& setup) {
  KvOptions kv_options;
  kv_options.geometry = {setup.usable_blocks + 1, 4, 64};
  kv_options.policy = setup.policy;
  kv_options.reserve_tokens = setup.reserve_tokens;
  kv_options.prefix_cache = setup.prefix_cache;
  kv_options.pin_tokens = setup.pin_tokens;
  kv_options.pin_share = setup.pin_share;
  const auto kv = make_kv_memory(kv_options);
  const auto scheduler = make_scheduler(setup.scheduler);
  FixedStep machine;
  Outcomes outcomes;
  EngineObservers observers;
  observers.plan = [&](const StepPlan& plan, const SchedulerState& state) {
    outcomes.steps.push_back(line_of(plan, state));
  };
  observers.request = [&](const RequestRecord& record) { outcomes.records.push_back(record); };
  EngineOptions options;
  options.limits = setup.limits;
  options.audit_every_step = true;
  options.host_link_gb_per_s = 1;
  options.kv_bytes_per_token = 16;
  Engine engine(options, *kv, *scheduler, machine, observers);
  JobTrace trace(setup.jobs);
  outcomes.summary = engine.run(trace);
  std::sort(outcomes.records.begin(), outcomes.records.end(),
            [](const auto& left, const auto& right) { return left.id < right.id; });
  EXPECT_EQ(kv->pool().free_blocks() + kv->pool().pinned_blocks(), kv->pool().usable_blocks())
      << "blocks leaked";
  outcomes.usage = kv->pool().usage();
  WideInteger queued = 0;
  WideInteger waited = 0;
  for (const RequestRecord& record : outcomes.records) {
    if (record.outcome != Outcome::kCompleted) continue;
    EXPECT_EQ(record.spent[0] + record.spent[1] + record.spent[2], record.e2e);
    EXPECT_EQ(record.outputs, record.output_tokens);
    queued += record.spent[0];
  }
  for (const WideInteger part : outcomes.summary.waited_ns) waited += part;
  EXPECT_TRUE(queued == waited) << "the reasons for waiting do not sum to the queue time";
  return outcomes;
}

// `count` times the same line.
inline void repeat(std::vector<std::string>& lines, int count, const std::string& line) {
  for (int i = 0; i < count; ++i) lines.push_back(line);
}

}  // namespace ridgepoint::workloads::scenario
