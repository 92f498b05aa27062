// SPDX-License-Identifier: Apache-2.0
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

std::vector<OptionGroup> make_option_groups() {
  return {
      general_options(), run_options(),     serve_options(), sweep_options(),
      compare_options(), machine_options(), hbm_options(),
  };
}

}  // namespace ridgepoint::config
