// SPDX-License-Identifier: Apache-2.0
// One value of a capacity search: the trace served at it, and whether the service levels were kept.
#pragma once

#include <string>

#include "sim/cli/serve_setting.hpp"
#include "workloads/serving/engine.hpp"

namespace ridgepoint::cli {

// Where one configuration is tried: all machines are alike, requests go round them.
struct ProbePoint {
  double time_scale = 1;  // of the trace as the options give it
  std::int64_t machines = 1;
  ServeSetting setting;
};

struct ProbeResult {
  bool met = false;
  std::string limit;  // what the missed level is due to
  std::int64_t requests = 0;
  std::int64_t rejected = 0;
  std::int64_t measured = 0;  // completed after the warm-up
  std::int64_t missed = 0;    // rejected after the warm-up: counted as beyond every level
  std::int64_t good = 0;
  std::int64_t preemptions = 0;
  workloads::Distribution ttft, tpot, e2e;
  double output_tokens_per_s = 0;  // all machines
  double goodput_per_s = 0;
  double running_mean = 0;  // per machine
  double good_ratio() const {
    return measured + missed > 0
               ? static_cast<double>(good) / static_cast<double>(measured + missed)
               : 0;
  }
};

// The value that `percent` of all requests keep, the missed ones counted as endless; -1: it is one
// of those. Nanoseconds.
std::int64_t level_at(const workloads::Distribution& of, double percent, std::int64_t missed);

ProbeResult probe(const config::Options& options, const ProbePoint& point,
                  workloads::StepTimeModel& times, const std::string& model);

}  // namespace ridgepoint::cli
