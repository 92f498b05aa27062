// SPDX-License-Identifier: Apache-2.0
// A trace through the serving engine, summarised.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table serve_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the accelerator", true},
      {"model", kText, "the language model", true},
      {"trace", kText, "the requests", true},
      {"weight_dtype", kText, "format of stored weights", true},
      {"kv_dtype", kText, "format of the KV cache", true},
      {"kv_policy", kText, "how cache memory is given to requests", true},
      {"block_tokens_count", kInteger, "tokens in one cache block", true},
      {"max_batch_tokens_count", kInteger, "token budget of one step", true},
      {"max_num_seqs_count", kInteger, "requests running at the same time, at most", true},
      {"requests_count", kInteger, "requests in the trace"},
      {"completed_count", kInteger, "requests that got all their tokens"},
      {"rejected_count", kInteger, "requests that could never fit"},
      {"makespan_s", kReal, "from the first arrival to the last token"},
      {"ttft_mean_ms", kReal, "time to first token, mean"},
      {"ttft_p50_ms", kReal, "time to first token, median"},
      {"ttft_p99_ms", kReal, "time to first token, 99th percentile"},
      {"tpot_mean_ms", kReal, "time per output token after the first, mean over requests"},
      {"tpot_p99_ms", kReal, "time per output token after the first, 99th percentile"},
      {"itl_p99_ms", kReal, "time between tokens, 99th percentile"},
      {"e2e_mean_ms", kReal, "arrival to last token, mean"},
      {"output_tokens_per_s", kReal, "generated tokens / makespan"},
      {"running_mean_count", kReal, "running requests, averaged over time"},
      {"running_max_count", kInteger, "running requests at the same time, at most"},
      {"kv_blocks_count", kInteger, "cache blocks"},
      {"kv_used_ratio", kReal,
       "token slots that hold cache / slots given to running requests, averaged over decode steps"},
      {"preemptions_count", kInteger, "times a running request lost its cache"},
      {"recomputed_tokens_count", kInteger, "tokens computed again after that"},
      {"prefix_hit_tokens_count", kInteger, "prompt tokens found in the cache"},
  };
  return {"serve", 1, "A trace through the serving engine", kColumns};
}

}  // namespace ridgepoint::results
