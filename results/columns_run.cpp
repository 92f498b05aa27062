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
  };
  return {"run", 1, "One step of a model on a machine", kColumns};
}

}  // namespace ridgepoint::results
