// SPDX-License-Identifier: Apache-2.0
// What a trace holds.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table trace_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"trace", kText, "the trace", true},
      {"requests_count", kInteger, "requests"},
      {"span_s", kReal, "first to last arrival"},
      {"arrival_requests_per_s", kReal, "mean arrival rate: (requests - 1) / span"},
      {"prompt_mean_count", kReal, "prompt tokens, mean"},
      {"prompt_p50_count", kInteger, "prompt tokens, median (nearest rank)"},
      {"prompt_p90_count", kInteger, "prompt tokens, 90th percentile"},
      {"prompt_p99_count", kInteger, "prompt tokens, 99th percentile"},
      {"prompt_max_count", kInteger, "prompt tokens, longest"},
      {"prompt_sum_count", kInteger, "prompt tokens of all requests"},
      {"output_mean_count", kReal, "output tokens, mean"},
      {"output_p50_count", kInteger, "output tokens, median"},
      {"output_p90_count", kInteger, "output tokens, 90th percentile"},
      {"output_p99_count", kInteger, "output tokens, 99th percentile"},
      {"output_max_count", kInteger, "output tokens, longest"},
      {"output_sum_count", kInteger, "output tokens of all requests"},
      {"gap_p50_ms", kReal, "time between neighbouring arrivals, median"},
      {"gap_p99_ms", kReal, "time between neighbouring arrivals, 99th percentile"},
      {"prefix_blocks_count", kInteger, "prompt blocks with an id; blank: the trace has none"},
      {"prefix_shared_ratio", kReal, "share of them that an endless prefix cache would find"},
      {"failed_requests_count", kInteger, "rows the trace marks as failed, left out"},
      {"skipped_rows_count", kInteger, "bad rows left out because the option asked for it"},
  };
  return {"trace", 1, "What a trace holds", kColumns};
}

}  // namespace ridgepoint::results
