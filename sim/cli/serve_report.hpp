// SPDX-License-Identifier: Apache-2.0
// What serve prints: the summary row, rows per request and step, and plain words. Everything comes
// from counted numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/serve_setting.hpp"
#include "sim/cli/subcommands.hpp"
#include "workloads/serving/engine.hpp"
#include "workloads/serving/grid_step_time.hpp"

namespace ridgepoint::cli {

// What real text adds to a request's row.
struct TextResult {
  std::vector<std::uint32_t> tokens;  // generated ones
  std::string text;
  std::optional<bool> same_alone;  // nothing: not checked
};

class ServeTables {
 public:
  // Checks at once that every file asked for can be written.
  ServeTables(const Context& context, const ServeSetting& setting);
  ~ServeTables();
  workloads::EngineObservers observers();
  // A row of --requests-csv, where that is asked for. observers() call it for traces.
  void add_request(const workloads::RequestRecord& record, const TextResult* text = nullptr);
  // `grid` is null when every step was simulated.
  void finish(const workloads::ServingSummary& summary, const workloads::GridStepTime* grid,
              const workloads::GridStepTime::Error& error,
              const workloads::TraceProblems& problems);

 private:
  void add_step(const workloads::StepRecord& record);

  const Context& context_;
  const ServeSetting& setting_;
  results::TableWriter summary_;
  std::unique_ptr<results::TableWriter> requests_;
  std::unique_ptr<results::TableWriter> steps_;
};

// One line: how the run went. And the failure modes of the run in plain words.
std::string serve_text(const workloads::ServingSummary& summary);
std::string story_text(const workloads::ServingSummary& summary, const ServeSetting& setting);

}  // namespace ridgepoint::cli
