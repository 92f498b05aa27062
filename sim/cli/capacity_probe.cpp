// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/capacity_probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "sim/cli/trace_options.hpp"
#include "workloads/traces/transform.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::Nanoseconds;
using workloads::Phase;
using workloads::ServingSummary;
using workloads::WaitReason;
using workloads::WideInteger;

// What all machines of a probe have in common to say why a level is missed.
struct Causes {
  std::array<WideInteger, workloads::kPhases> spent{};
  std::array<WideInteger, workloads::kWaitReasons> waited{};
  WideInteger before_first = 0;  // queueing of requests without preemption: all in their TTFT
  WideInteger ttft = 0;
};

std::string wait_text(WaitReason reason) {
  switch (reason) {
    case WaitReason::kKvBlocks:
    case WaitReason::kPreemption:
      return "requests wait for cache memory";
    case WaitReason::kTokenBudget:
      return "requests wait for the token budget of a step";
    case WaitReason::kMaxSequences:
      return "requests wait for one of max_num_seqs places";
    case WaitReason::kStepBoundary:
      return "requests wait for the running step to end";
    case WaitReason::kBatch:
      break;
  }
  return "the scheduler lets nobody in";
}

std::string percent(WideInteger part, WideInteger whole) {
  std::ostringstream text;
  text.precision(0);
  text << std::fixed
       << 100 * static_cast<double>(part) / std::max(1.0, static_cast<double>(whole)) << " %";
  return text.str();
}

std::string why_late(const Causes& causes) {
  if (2 * causes.before_first < causes.ttft) {
    return "computing the prompts themselves takes " +
           percent(causes.ttft - causes.before_first, causes.ttft) + " of it";
  }
  const auto most = std::max_element(causes.waited.begin(), causes.waited.end());
  WideInteger all = 0;
  for (const WideInteger part : causes.waited) all += part;
  return wait_text(static_cast<WaitReason>(most - causes.waited.begin())) + " (" +
         percent(*most, all) + " of all waiting)";
}

struct Level {
  const char* name;
  Nanoseconds limit;
  const workloads::Distribution* times;
};

void judge(const config::Options& options, const workloads::ServiceLevels& levels,
           const Causes& causes, ProbeResult& result) {
  const auto late = [&](const std::string& name) {
    if (name == "time to first token") return why_late(causes);
    return result.preemptions > 0 ? "steps are long, and running requests lose their cache " +
                                        std::to_string(result.preemptions) + " times"
                                  : std::string(
                                        "steps are long: many requests or long prompts "
                                        "share them");
  };
  const std::array<Level, 3> asked{Level{"time to first token", levels.ttft, &result.ttft},
                                   Level{"time per output token", levels.tpot, &result.tpot},
                                   Level{"whole time", levels.e2e, &result.e2e}};
  result.met = true;
  const bool share = options.has("capacity.good_share");
  const double needed =
      share ? 100 * options.real("capacity.good_share") : options.real("capacity.percentile");
  if (share) result.met = 100 * result.good_ratio() >= needed;
  if (share && result.met) return;
  for (const Level& level : asked) {
    if (level.limit == workloads::kForever) continue;
    const std::int64_t at = level_at(*level.times, needed, result.missed);
    if (at >= 0 && at <= level.limit) continue;
    result.met = false;
    result.limit = at >= 0 ? std::string(level.name) + ": " + late(level.name)
                   : result.missed > 0
                       ? std::to_string(result.missed) + " requests can never be held"
                       : "the warm-up leaves no request to measure";
    return;
  }
  if (!result.met) result.limit = "no level alone: requests miss one or the other";
}

void add_summary(const ServingSummary& summary, std::int64_t machines, ProbeResult& result,
                 Causes& causes) {
  result.requests += static_cast<std::int64_t>(summary.requests);
  result.rejected += static_cast<std::int64_t>(summary.rejected());
  result.measured += static_cast<std::int64_t>(summary.measured);
  result.good += static_cast<std::int64_t>(summary.good);
  result.preemptions += summary.preemptions;
  result.output_tokens_per_s += summary.output_tokens_per_s();
  result.goodput_per_s += summary.goodput_per_s();
  result.running_mean += summary.running_mean() / static_cast<double>(machines);
  for (std::size_t i = 0; i < workloads::kPhases; ++i) causes.spent[i] += summary.spent[i];
  for (std::size_t i = 0; i < workloads::kWaitReasons; ++i) {
    causes.waited[i] += summary.waited_ns[i];
  }
}

}  // namespace

std::int64_t level_at(const workloads::Distribution& of, double percent, std::int64_t missed) {
  const auto all = static_cast<double>(of.count() + missed);
  const double rank = percent / 100 * all;  // requests that must keep it
  if (of.count() == 0 || rank > static_cast<double>(of.count()) * (1 + 1e-12)) return -1;
  return of.percentile(std::min(100.0, 100 * rank / static_cast<double>(of.count())));
}

ProbeResult probe(const config::Options& options, const ProbePoint& point,
                  workloads::StepTimeModel& times, const std::string& model) {
  ProbeResult result;
  Causes causes;
  const workloads::EngineOptions engine_options = engine_options_of(options, point.setting);
  workloads::EngineObservers observers;
  observers.request = [&](const workloads::RequestRecord& record) {
    if (!record.measured) return;
    if (record.outcome != workloads::Outcome::kCompleted) {
      ++result.missed;
      return;
    }
    result.ttft.add(record.ttft);
    if (record.tpot >= 0) result.tpot.add(record.tpot);
    result.e2e.add(record.e2e);
    causes.ttft += record.ttft;
    causes.before_first +=
        std::min(record.ttft, record.spent[static_cast<std::size_t>(Phase::kQueue)]);
  };
  for (std::int64_t i = 0; i < point.machines; ++i) {
    const auto kv = workloads::make_kv_memory(kv_options_of(options, point.setting, model));
    const auto scheduler = workloads::make_scheduler(options.text("serve.scheduler"));
    workloads::Engine engine(engine_options, *kv, *scheduler, times, observers);
    auto trace = trace_of(options, point.setting.trace);
    if (point.time_scale != 1) trace = workloads::scale_time(std::move(trace), point.time_scale);
    if (point.machines > 1) {
      trace = workloads::every_nth(std::move(trace), static_cast<std::uint64_t>(point.machines),
                                   static_cast<std::uint64_t>(i));
    }
    add_summary(engine.run(*trace), point.machines, result, causes);
  }
  judge(options, engine_options.levels, causes, result);
  return result;
}

}  // namespace ridgepoint::cli
