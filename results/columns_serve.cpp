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
      {"scheduler", kText, "who gets tokens in a step", true},
      {"kv_policy", kText, "how cache memory is given to requests", true},
      {"reserve_tokens_count", kInteger, "what max-length reserves", true},
      {"admission", kText, "what must be free before a request is let in", true},
      {"preemption", kText, "what happens to the cache of a preempted request", true},
      {"prefix_cache", kText, "whether full blocks are shared by prefix", true},
      {"block_tokens_count", kInteger, "tokens in one cache block", true},
      {"max_batch_tokens_count", kInteger, "token budget of one step", true},
      {"max_num_seqs_count", kInteger, "requests running at the same time, at most", true},
      {"chunked_prefill", kText, "whether prompts are split over steps", true},
      {"utilization_ratio", kReal, "share of the memory an engine may use", true},
      {"overhead_gib", kReal, "memory for context, graphs and communication", true},
      {"time_scale_ratio", kReal, "factor on arrival times", true},
      {"rate_requests_per_s", kReal, "arrival rate the trace was scaled to", true},
      {"closed_loop_count", kInteger, "requests kept in the system; 0: arrivals as traced", true},
      {"warmup_count", kInteger, "first requests, not measured", true},
      {"requests_count", kInteger, "requests in the trace"},
      {"completed_count", kInteger, "requests that got all their tokens"},
      {"rejected_count", kInteger, "requests that could never fit"},
      {"makespan_s", kReal, "from the first arrival to the last token"},
      {"ttft_mean_ms", kReal, "time to first token, mean"},
      {"ttft_p50_ms", kReal, "time to first token, median"},
      {"ttft_p99_ms", kReal, "time to first token, 99th percentile"},
      {"tpot_mean_ms", kReal, "time per output token after the first, mean over requests"},
      {"tpot_p50_ms", kReal, "time per output token after the first, median"},
      {"tpot_p99_ms", kReal, "time per output token after the first, 99th percentile"},
      {"itl_mean_ms", kReal, "time between tokens, mean over all gaps"},
      {"itl_p50_ms", kReal, "time between tokens, median"},
      {"itl_p99_ms", kReal, "time between tokens, 99th percentile"},
      {"e2e_mean_ms", kReal, "arrival to last token, mean"},
      {"e2e_p50_ms", kReal, "arrival to last token, median"},
      {"e2e_p99_ms", kReal, "arrival to last token, 99th percentile"},
      {"output_tokens_per_s", kReal, "generated tokens / makespan"},
      {"running_mean_count", kReal, "running requests, averaged over the makespan"},
      {"running_full_mean_count", kReal,
       "running requests, averaged over steps in which others had to wait; blank: nobody waited"},
      {"running_max_count", kInteger, "running requests at the same time, at most"},
      {"kv_blocks_count", kInteger, "cache blocks, the null block included"},
      {"kv_used_ratio", kReal,
       "token slots that hold cache / slots given to running requests, averaged over decode steps"},
      {"preemptions_count", kInteger, "times a running request lost its cache"},
      {"recomputed_tokens_count", kInteger, "tokens computed again after that"},
      {"resident_tokens_count", kInteger, "own tokens found still in the cache after that"},
      {"prefix_hit_tokens_count", kInteger, "tokens found in the cache of others"},
      {"swapped_bytes", kInteger, "cache moved to the host and back"},
      {"queue_mean_ms", kReal, "part of e2e outside the running batch, mean"},
      {"prefill_mean_ms", kReal, "part of e2e catching up with known tokens, mean"},
      {"decode_mean_ms", kReal, "part of e2e with one token per step, mean"},
      {"wait_step_boundary_ratio", kReal, "share of queue time: arrived during a step"},
      {"wait_kv_blocks_ratio", kReal, "share of queue time: no cache blocks"},
      {"wait_token_budget_ratio", kReal, "share of queue time: the step's tokens were used up"},
      {"wait_max_sequences_ratio", kReal, "share of queue time: max_num_seqs were running"},
      {"wait_preemption_ratio", kReal, "share of queue time: something was preempted"},
      {"wait_batch_ratio", kReal, "share of queue time: the scheduler let nobody in"},
      {"slo_ttft_ms", kReal, "asked for", true},
      {"slo_tpot_ms", kReal, "asked for", true},
      {"slo_e2e_ms", kReal, "asked for", true},
      {"good_count", kInteger, "requests within every level asked for; blank: none asked"},
      {"goodput_requests_per_s", kReal, "of those per second of makespan"},
      {"rejected_longer_than_model_count", kInteger, "prompt and output exceed the model"},
      {"rejected_larger_than_kv_pool_count", kInteger, "cache never fits, even alone"},
      {"rejected_larger_than_token_budget_count", kInteger, "never fits one step's budget"},
      {"steps_count", kInteger, "steps"},
      {"machine_points_count", kInteger, "kernel shapes the step times were made from"},
      {"grid_error_median_ratio", kReal, "step times against fresh simulations of steps, median"},
      {"grid_error_max_ratio", kReal, "step times against fresh simulations of steps, worst"},
      {"mixed_batch_error_max_ratio", kReal,
       "attention of these steps' batches alone, against fresh simulations, worst"},
      {"percentiles_exact", kText, "false: percentiles are within 1/2048"},
  };
  return {"serve", 1, "A trace through the serving engine", kColumns};
}

Table serve_requests_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"trace", kText, "the requests", true},
      {"request_id", kText, "number in order of arrival, from 0", true},
      {"trace_line", kText, "line of the trace"},
      {"outcome", kText, "completed, or why it was rejected"},
      {"measured", kText, "false: within the warm-up"},
      {"arrival_s", kReal, "since the first request"},
      {"prompt_tokens_count", kInteger, "prompt tokens"},
      {"output_tokens_count", kInteger, "output tokens asked for"},
      {"ttft_ms", kReal, "arrival to first token"},
      {"tpot_ms", kReal, "time per token after the first; blank: only one"},
      {"e2e_ms", kReal, "arrival to last token"},
      {"queue_ms", kReal, "part of e2e outside the running batch"},
      {"prefill_ms", kReal, "part of e2e catching up with known tokens"},
      {"decode_ms", kReal, "part of e2e with one token per step"},
      {"preemptions_count", kInteger, "times it lost its cache"},
      {"recomputed_tokens_count", kInteger, "tokens computed again after that"},
      {"resident_tokens_count", kInteger, "own tokens found again after that"},
      {"prefix_hit_tokens_count", kInteger, "tokens found in the cache of others"},
      {"generated_tokens_count", kInteger,
       "tokens it got: fewer than asked for if the model ended"},
      {"generated_tokens", kText, "their ids; blank: no text was served"},
      {"text", kText, "what they say"},
      {"same_alone", kText, "whether it gets the same tokens alone; blank: not checked"},
  };
  return {"serve_requests", 1, "Requests of a serving run", kColumns, "serve"};
}

Table serve_steps_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"trace", kText, "the requests", true},
      {"step_id", kText, "number of the step", true},
      {"start_s", kReal, "since the first arrival"},
      {"duration_ms", kReal, "time of the step"},
      {"new_tokens_count", kInteger, "tokens computed"},
      {"sampled_count", kInteger, "tokens sampled"},
      {"running_count", kInteger, "requests running"},
      {"waiting_count", kInteger, "requests waiting"},
      {"preempted_count", kInteger, "requests preempted in this step"},
      {"wait_reason", kText, "why the waiting ones wait; blank: nobody waits"},
      {"kv_used_bytes", kInteger, "cache of running requests"},
      {"kv_block_internal_bytes", kInteger, "empty rest of blocks that hold some"},
      {"kv_reserved_unused_bytes", kInteger, "held blocks that are still empty"},
      {"kv_cached_evictable_bytes", kInteger, "free blocks that hold a reusable prefix"},
      {"kv_cached_pinned_bytes", kInteger, "unused blocks that pinning keeps for later requests"},
      {"kv_free_bytes", kInteger, "free blocks"},
      {"kv_null_block_bytes", kInteger, "the null block"},
  };
  return {"serve_steps", 1, "Steps of a serving run", kColumns, "serve"};
}

}  // namespace ridgepoint::results
