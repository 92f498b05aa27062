// SPDX-License-Identifier: Apache-2.0
// The search for what meets the service levels: one row per value tried.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table capacity_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the accelerator", true},
      {"model", kText, "the language model", true},
      {"trace", kText, "the requests", true},
      {"weight_dtype", kText, "format of stored weights", true},
      {"kv_dtype", kText, "format of the KV cache", true},
      {"scheduler", kText, "who gets tokens in a step", true},
      {"kv_policy", kText, "how cache memory is given to requests", true},
      {"seek", kText, "what is looked for: rate, machines or memory", true},
      {"slo_ttft_ms", kReal, "time to first token to keep; blank: any", true},
      {"slo_tpot_ms", kReal, "time per output token to keep; blank: any", true},
      {"slo_e2e_ms", kReal, "whole time to keep; blank: any", true},
      {"percentile", kText, "percent of the requests that must keep each level", true},
      {"good_share_ratio", kReal, "share that must keep all levels at once; blank: by percentile",
       true},
      {"probe_id", kText, "number of the value tried, from 1", true},
      {"arrival_requests_per_s", kReal, "arrival rate at all machines together"},
      {"machines_count", kInteger, "machines that requests go round"},
      {"memory_gib", kReal, "memory of each"},
      {"kv_blocks_count", kInteger, "cache blocks of each, the null block included"},
      {"met", kText, "whether the levels were kept"},
      {"answer", kText, "true: the value that was looked for"},
      {"requests_count", kInteger, "requests in the trace"},
      {"rejected_count", kInteger, "requests that could never fit"},
      {"ttft_ms", kReal, "time to first token at the percentile"},
      {"tpot_ms", kReal, "time per output token at the percentile"},
      {"e2e_ms", kReal, "whole time at the percentile"},
      {"good_ratio", kReal, "requests within all levels / all measured requests"},
      {"goodput_requests_per_s", kReal, "requests within all levels, per second"},
      {"output_tokens_per_s", kReal, "generated tokens, all machines together"},
      {"running_mean_count", kReal, "running requests per machine, averaged"},
      {"preemptions_count", kInteger, "times a running request lost its cache"},
      {"limit", kText, "what the missed level is due to; of the answer: why the next value misses"},
  };
  return {"capacity", 1, "What meets the service levels", kColumns};
}

}  // namespace ridgepoint::results
