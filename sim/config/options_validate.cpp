// SPDX-License-Identifier: Apache-2.0
// Options of validate: which measurements, and which part of them.
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup validate_options() {
  using enum OptionType;
  static constexpr OptionRow kRows[] = {
      {.key = "validate.measured",
       .flag = "measured",
       .required = true,
       .unit = "path of a folder",
       .help = "measurements: gemm.csv, linear_layer.csv, decode_attention.csv, "
               "prefill_attention.csv, kv_blocks.csv"},
      {.key = "validate.family",
       .flag = "family",
       .type = kChoice,
       .fallback = "all",
       .accepted = "all|gemm|linear_layer|decode_attention|prefill_attention|kv_blocks",
       .help = "only this file"},
      {.key = "validate.every",
       .flag = "every",
       .type = kInteger,
       .fallback = "1",
       .unit = "pairs of shapes",
       .minimum = 1,
       .maximum = 1000000,
       .help = "only every so manyth pair of shapes of each family; a pair has one of each half"},
      {.key = "validate.most_gb",
       .flag = "most_gb",
       .type = kReal,
       .unit = "GB",
       .minimum = 0,
       .help = "leave out cases that move more between memories: they take longest to simulate"},
      {.key = "validate.summary_csv",
       .flag = "summary_csv",
       .unit = "path of a file",
       .help = "also write median and 90th percentile of |error| by machine, family and size",
       .identity = false},
  };
  return {"Validate", "validate", kRows};
}

}  // namespace ridgepoint::config
