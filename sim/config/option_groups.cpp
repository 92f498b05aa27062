// SPDX-License-Identifier: Apache-2.0
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

std::vector<OptionGroup> make_option_groups() {
  // clang-format off
  return {
      general_options(),
      run_options(),
      serve_options(),
      capacity_options(),
      trace_options(),
      trace_make_options(),
      sweep_options(),
      compare_options(),
      validate_options(),
      report_options(),
      generate_options(),
      dram_options(),
      machine_options(),
      hbm_options(),
  };
  // clang-format on
}

}  // namespace ridgepoint::config
