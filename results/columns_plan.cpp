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
      {"kv_pool_bytes", kInteger, "memory left for cache"},
      {"max_requests_count", kInteger, "whole requests that fit in the pool"},
      {"limit", kText, "what stops one more: weights, cache or nothing"},
  };
  return {"plan", 1, "Requests that fit in memory", kColumns};
}

}  // namespace ridgepoint::results
