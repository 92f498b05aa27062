// SPDX-License-Identifier: Apache-2.0
// How many requests fit beside the weights.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table plan_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the accelerator", true},
      {"model", kText, "the language model", true},
      {"context_tokens_count", kInteger, "tokens a request holds at its end", true},
      {"weight_dtype", kText, "format of stored weights", true},
      {"kv_dtype", kText, "format of the KV cache", true},
      {"weight_bytes", kInteger, "all weights"},
      {"kv_bytes_per_token", kInteger, "cache of one token, all layers"},
      {"kv_bytes_per_request", kInteger, "cache of one request at its end"},
      {"kv_pool_bytes", kInteger, "memory the weights leave"},
      {"max_requests_count", kInteger, "whole requests that fit in it"},
      {"limit", kText, "what stops one more: weights or cache"},
      {"utilization_ratio", kReal, "share of the memory an engine may use"},
      {"overhead_gib", kReal, "memory for context, graphs and communication"},
      {"max_batch_tokens_count", kInteger, "token budget of one step"},
      {"max_num_seqs_count", kInteger, "requests running at the same time, at most"},
      {"block_tokens_count", kInteger, "tokens in one cache block"},
      {"activation_bytes", kInteger, "largest activations of a step"},
      {"real_kv_pool_bytes", kInteger, "memory left for cache after all of that"},
      {"kv_blocks_count", kInteger, "cache blocks in it, the null block included"},
      {"real_max_requests_count", kInteger, "whole requests that fit in those blocks"},
      {"real_limit", kText, "what stops one more then: weights, cache or max_num_seqs"},
      {"trace", kText, "lengths the next columns are about; blank: none given", true},
      {"kv_policy", kText, "how cache memory is given to requests", true},
      {"reserve_tokens_count", kInteger, "what max-length reserves", true},
      {"trace_running_count", kReal, "requests with the trace's lengths that run at once"},
      {"trace_kv_used_ratio", kReal, "share of their memory that holds cache, by decode steps"},
      {"trace_too_long_count", kInteger, "requests longer than the policy's reservation"},
  };
  return {"plan", 1, "Requests that fit in memory", kColumns};
}

}  // namespace ridgepoint::results
