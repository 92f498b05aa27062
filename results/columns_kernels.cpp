// SPDX-License-Identifier: Apache-2.0
// The kernels of one step: the rows under a row of "run".
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table kernels_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the accelerator", true},
      {"model", kText, "the language model", true},
      {"phase", kText, "prefill or decode", true},
      {"batch_count", kInteger, "requests in the step", true},
      {"new_tokens_count", kInteger, "new tokens per request", true},
      {"context_tokens_count", kInteger, "tokens per request already in the cache", true},
      {"kernel", kText, "the kernel's name", true},
      {"family", kText, "linear, attention, norm, rope, activation, router, embedding or sampling"},
      {"launches_count", kInteger, "launches in the step"},
      {"time_ns", kReal, "simulated time of all launches, launch cost included"},
      {"cycles", kInteger, "the same in cycles of the core clock"},
      {"time_ratio", kReal, "share of the step's time"},
      {"flops", kInteger, "matrix FLOPs by definition; one multiply-add is two"},
      {"matrix_flops", kInteger, "matrix FLOPs the engines did, masked tile elements included"},
      {"hbm_read_bytes", kInteger, "bytes read at the HBM pins"},
      {"hbm_write_bytes", kInteger, "bytes written at the HBM pins"},
      {"weight_bytes", kInteger, "of the bytes read, those of weights"},
      {"kv_read_bytes", kInteger, "of the bytes read, those of the KV cache"},
      {"model_bytes", kInteger, "bytes of the kernel's traffic formula"},
      {"flop_per_byte", kReal, "flops / (hbm_read_bytes + hbm_write_bytes)"},
      {"roofline_ns", kReal, "the larger of flops / peak rate and bytes / peak bandwidth"},
      {"bound", kText, "compute, bandwidth or latency"},
      {"hbm_bandwidth_ratio", kReal, "bytes moved / (time_ns x peak HBM bandwidth)"},
      {"matrix_utilization_ratio", kReal, "flops / (time_ns x peak rate)"},
  };
  return {"kernels", 1, "Kernels of one step", kColumns, "run"};
}

}  // namespace ridgepoint::results
