// SPDX-License-Identifier: Apache-2.0
// Text generated on the machine, one row per run.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table generate_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the accelerator", true},
      {"model", kText, "the model of the weight file", true},
      {"weights", kText, "the weight file; blank: made from the seed", true},
      {"dtype", kText, "format of stored weights and cache", true},
      {"no_cache", kText, "true: every step computes all tokens again", true},
      {"prompt", kText, "the text that was continued", true},
      {"prompt_tokens_count", kInteger, "tokens of the prompt"},
      {"generated_tokens_count", kInteger, "tokens generated"},
      {"generated_tokens", kText, "their ids"},
      {"text", kText, "what they say"},
      {"kv_multiply_adds_count", kInteger, "multiply-adds of the K and V projections"},
      {"cached_numbers_count", kInteger, "K and V numbers in the cache at the end"},
      {"cache_bytes", kInteger, "the same in bytes"},
      {"time_ns", kReal, "simulated time of all steps"},
      {"cycles", kInteger, "the same in cycles of the core clock"},
      {"flops", kInteger, "matrix FLOPs; one multiply-add is two"},
      {"hbm_read_bytes", kInteger, "bytes read at the HBM pins"},
      {"hbm_write_bytes", kInteger, "bytes written at the HBM pins"},
      {"flop_per_byte", kReal, "flops / (hbm_read_bytes + hbm_write_bytes)"},
      {"ttft_ns", kReal, "time to first token: the prompt's step"},
      {"tpot_ns", kReal, "time per output token after the first, mean"},
  };
  return {"generate", 1, "Text generated on the machine", kColumns};
}

}  // namespace ridgepoint::results
