// SPDX-License-Identifier: Apache-2.0
// The serving engine: one loop over steps. A step is planned by the scheduler, timed by the
// machine, and then its tokens exist. Memory grows with the requests in the system, not with the
// trace.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "workloads/serving/kv_memory.hpp"
#include "workloads/serving/metrics.hpp"
#include "workloads/serving/scheduler.hpp"
#include "workloads/serving/step_time.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

struct EngineOptions {
  SchedulerLimits limits;
  std::uint64_t warmup_requests = 0;    // served, but not measured
  std::int64_t closed_loop = 0;         // > 0: arrivals ignored, so many requests in the system
  double host_link_gb_per_s = 0;        // for preemption by swap; must be > 0 then
  std::int64_t kv_bytes_per_token = 0;  // for the bytes of swaps
  ServiceLevels levels;
  bool audit_every_step = false;  // walk the whole KV pool after every step
};

// Called as the run goes; all optional.
struct EngineObservers {
  std::function<void(const RequestRecord&)> request;
  std::function<void(const StepRecord&)> step;
  std::function<void(const StepPlan&, const SchedulerState&)> plan;  // after planning, before time
  std::function<void(const Request&)> finished;                      // with its tokens
};

class Engine {
 public:
  // The references must outlive the engine. Throws InputError for options that cannot work.
  Engine(const EngineOptions& options, KvMemory& kv, Scheduler& scheduler, StepTimeModel& machine,
         EngineObservers observers = {});
  ~Engine();

  // Serves the whole trace; every request is completed or rejected with a reason. Throws
  // SimulationError if no progress is possible or an invariant breaks. `prepare`, if given, may
  // complete a request before it enters (tokens, priority, deadline).
  ServingSummary run(TraceSource& trace, const std::function<void(Request&)>& prepare = {});

 private:
  bool fetch();
  void take_arrivals();
  void arrive(Request request);
  Outcome outcome_of(const Request& request) const;
  void reject(const Request& request, Outcome outcome);
  void step();
  void after_planning();
  core::Femtoseconds time_of_step();
  void after_step();
  void add_token(Request& request, std::size_t index);
  void finish(Request& request);
  void record_step(Nanoseconds start);
  void check_progress();
  void check_invariants() const;
  void check_conservation() const;  // at every step where assertions are on
  bool measured(const Request& request) const { return request.id >= options_.warmup_requests; }

  EngineOptions options_;
  KvMemory& kv_;
  Scheduler& scheduler_;
  StepTimeModel& machine_;
  EngineObservers observers_;

  TraceSource* trace_ = nullptr;
  const std::function<void(Request&)>* prepare_ = nullptr;
  TraceRequest next_;
  bool have_next_ = false;
  std::map<std::uint64_t, std::unique_ptr<Request>> live_;  // by id
  SchedulerState state_;
  StepPlan plan_;
  StepBatch batch_;
  std::vector<std::uint64_t> done_;

  Nanoseconds now_ = 0;
  core::Femtoseconds carry_ = 0;  // below a nanosecond, so that long runs do not lose time
  bool measuring_ = false;
  Nanoseconds measured_from_ = 0;
  int idle_plans_ = 0;
  ServingSummary summary_;
};

}  // namespace ridgepoint::workloads
