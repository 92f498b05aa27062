// SPDX-License-Identifier: Apache-2.0
// What a trace holds: counts, percentiles, rates, prefix sharing and problems.
#pragma once

#include "workloads/traces/distribution.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

struct TraceInfo {
  std::uint64_t requests = 0;
  Nanoseconds span = 0;  // first to last arrival
  Distribution prompt_tokens;
  Distribution output_tokens;
  Distribution gaps_ns;  // between neighbouring arrivals
  double prompt_sum = 0;
  double output_sum = 0;
  // Prefix sharing by the trace's own ids: blocks found by an endless cache that looks each prompt
  // up from its start and stops at the first block it has not seen behind the same prefix.
  std::uint64_t blocks = 0;
  std::uint64_t shared_blocks = 0;
  TraceProblems problems;
  double requests_per_s() const;
  double shared_ratio() const;  // of blocks; 0 without ids
};

// Reads the source to its end. Memory grows with the number of different ids, not with requests.
TraceInfo analyse_trace(TraceSource& source);

}  // namespace ridgepoint::workloads
