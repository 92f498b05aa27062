// SPDX-License-Identifier: Apache-2.0
// One step of a model on a machine. Counts are taken at the HBM pins.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table run_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the accelerator", true},
      {"model", kText, "the language model", true},
      {"phase", kText, "prefill or decode", true},
      {"batch_count", kInteger, "requests in the step", true},
      {"new_tokens_count", kInteger, "new tokens per request", true},
      {"context_tokens_count", kInteger, "tokens per request already in the cache", true},
      {"weight_dtype", kText, "format of stored weights", true},
      {"kv_dtype", kText, "format of the KV cache", true},
      {"act_dtype", kText, "format of activations between kernels", true},
      {"time_ns", kReal, "simulated time of the step"},
      {"cycles", kInteger, "the same in cycles of the core clock"},
      {"flops", kInteger, "floating-point operations the kernels did; one multiply-add is two"},
      {"hbm_read_bytes", kInteger, "bytes read at the HBM pins"},
      {"hbm_write_bytes", kInteger, "bytes written at the HBM pins"},
      {"weight_bytes", kInteger, "of the bytes read, those of weights"},
      {"kv_read_bytes", kInteger, "of the bytes read, those of the KV cache"},
      {"flop_per_byte", kReal, "flops / (hbm_read_bytes + hbm_write_bytes)"},
      {"weight_flop_per_byte", kReal, "flops of the kernels that read weights / weight_bytes"},
      {"ridge_flop_per_byte", kReal, "peak matrix rate / peak HBM bandwidth of the machine"},
      {"bound", kText, "what limits the step: compute, bandwidth or latency"},
      {"hbm_bandwidth_ratio", kReal, "bytes moved / (time_ns x peak HBM bandwidth)"},
      {"matrix_utilization_ratio", kReal, "flops of the matrix engines / (time_ns x peak rate)"},
      {"roofline_ns", kReal, "the larger of flops / peak rate and bytes / peak bandwidth"},
      {"hbm_activation_bytes", kInteger, "of the bytes read and written, those of activations"},
      {"launches_count", kInteger, "kernels launched"},
      {"simulated_launches_count", kInteger,
       "of those, simulated; the others took the time of an equal one"},
      {"launch_ns", kReal, "time between kernels: host launch cost"},
      {"matrix_busy_ratio", kReal, "matrix engines at work; with the next eight it sums to 1"},
      {"matrix_wait_load_ratio", kReal, "matrix engines waiting for loads"},
      {"matrix_wait_matrix_ratio", kReal, "matrix engines waiting for an earlier matrix result"},
      {"matrix_wait_vector_ratio", kReal, "matrix engines waiting for the vector engine"},
      {"matrix_wait_store_ratio", kReal, "matrix engines waiting for an accumulator to be stored"},
      {"matrix_wait_sync_ratio", kReal, "matrix engines waiting for another core"},
      {"matrix_no_command_ratio", kReal, "matrix engines without a command"},
      {"matrix_drain_ratio", kReal, "cores finished with a kernel that others still run"},
      {"matrix_launch_ratio", kReal, "between kernels"},
      {"hbm_busy_ratio", kReal, "data buses busy; with the next ten it sums to 1"},
      {"hbm_idle_ratio", kReal, "data buses without a request"},
      {"hbm_queue_ratio", kReal, "the request served next was not yet in the queue"},
      {"hbm_refresh_ratio", kReal, "lost to refresh"},
      {"hbm_row_miss_ratio", kReal, "lost to opening a row of a closed bank"},
      {"hbm_row_conflict_ratio", kReal, "lost to closing another row first"},
      {"hbm_activation_ratio", kReal, "lost to tRRD, tFAW or the row command bus"},
      {"hbm_turnaround_ratio", kReal, "lost to read-write turnaround"},
      {"hbm_bank_group_ratio", kReal, "lost to tCCD_L"},
      {"hbm_column_ratio", kReal, "lost to the column command bus and tCCD_R"},
      {"hbm_pending_ratio", kReal, "not yet attributed when the step ended"},
      {"hbm_energy_pj", kReal, "energy of the memory: the sum of the next six"},
      {"hbm_energy_act_pj", kReal, "rows opened and closed"},
      {"hbm_energy_read_pj", kReal, "columns read and moved across the die"},
      {"hbm_energy_write_pj", kReal, "columns written and moved across the die"},
      {"hbm_energy_io_pj", kReal, "data pins"},
      {"hbm_energy_refresh_pj", kReal, "refresh"},
      {"hbm_energy_background_pj", kReal, "standby, over the whole time"},
      {"hbm_energy_pj_per_bit", kReal, "hbm_energy_pj / bits moved at the pins"},
  };
  return {"run", 1, "One step of a model on a machine", kColumns};
}

}  // namespace ridgepoint::results
