// SPDX-License-Identifier: Apache-2.0
// --timeline of a served trace: the engine's steps with what runs, waits and fills the cache, and
// every request from its arrival to its last token. What the machine does within a step is not
// here: its kernels come from remembered times (run --timeline draws them).
#pragma once

#include <memory>
#include <vector>

#include "results/csv_writer.hpp"
#include "sim/cli/timeline.hpp"
#include "sim/probe/chrome_trace.hpp"
#include "workloads/serving/engine.hpp"

namespace ridgepoint::cli {

class ServeTimeline {
 public:
  // Does nothing without --timeline. InputError for options that need the machine. The first
  // minute, if no window is given.
  ServeTimeline(const config::Options& options, std::int64_t kv_bytes_per_token);
  // `observers`, and this one behind them.
  workloads::EngineObservers observe(workloads::EngineObservers observers);
  // The file appears, whole.
  void finish();

 private:
  void step(const workloads::StepRecord& record);
  void request(const workloads::RequestRecord& record);

  TimelineWindow window_;
  std::int64_t kv_bytes_per_token_;
  std::unique_ptr<results::OutputFile> file_;
  std::unique_ptr<probe::ChromeTrace> trace_;
  std::vector<workloads::RequestRecord> requests_;  // in order of finishing
};

}  // namespace ridgepoint::cli
