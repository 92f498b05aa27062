// SPDX-License-Identifier: Apache-2.0
// Predictions beside measurements, and what their errors come to.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table validate_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the machine that was simulated", true},
      {"family", kText, "gemm, linear_layer, decode_attention, prefill_attention or kv_blocks",
       true},
      {"case", kText, "engine or model, and the shape", true},
      {"size_class", kText, "sizes that are summed up together; see the summary"},
      {"half", kText,
       "even or odd: every second shape of a family, on whatever machine; results/calibrate.sh "
       "looks at the even half only"},
      {"predicted_us", kReal, "simulated time"},
      {"measured_us", kReal, "published time"},
      {"predicted_blocks_count", kInteger, "cache blocks by the arithmetic of plan"},
      {"measured_blocks_count", kInteger, "cache blocks that an engine logged"},
      {"error_ratio", kReal, "predicted / measured - 1"},
      {"over_peak_ratio", kReal,
       "least time at the machine's published peaks / measured; above 1 no machine of this "
       "description can have done it, and the row is not summed up"},
      {"launches_count", kInteger, "kernels launched"},
      {"flops", kReal, "floating-point operations of the definition"},
      {"hbm_bytes", kInteger, "bytes moved at the HBM pins"},
      {"roofline_us", kReal, "the larger of flops / peak rate and bytes / peak bandwidth"},
  };
  return {"validate", 2, "Predictions beside measurements", kColumns};
}

Table validate_summary_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"machine", kText, "the machine that was simulated", true},
      {"family", kText, "what was measured", true},
      {"size_class", kText,
       "GEMM: in-cache (weights no larger than the shared memory), m<=64, m>64; attention: long "
       "(1000 tokens or more, decode also 8 sequences or more), short; kv_blocks: logged; "
       "over-peak: not summed up",
       true},
      {"half", kText, "all; even or odd: every second shape", true},
      {"rows_count", kInteger, "cases"},
      {"error_median_ratio", kReal, "median of |error|"},
      {"error_p90_ratio", kReal, "90th percentile of |error|"},
      {"bias_ratio", kReal, "median of the signed error"},
      {"error_min_ratio", kReal, "least signed error"},
      {"error_max_ratio", kReal, "largest signed error"},
  };
  return {"validate-summary", 2, "Errors of predictions by machine, family and size", kColumns};
}

}  // namespace ridgepoint::results
