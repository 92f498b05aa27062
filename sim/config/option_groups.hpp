// SPDX-License-Identifier: Apache-2.0
// The one place that lists the areas of the option table. A new area is an options_<area>.cpp, its
// declaration here, and its line in option_groups.cpp.
#pragma once

#include <vector>

#include "sim/config/option_table.hpp"

namespace ridgepoint::config {

OptionGroup general_options();
OptionGroup run_options();
OptionGroup serve_options();
OptionGroup capacity_options();
OptionGroup trace_options();
OptionGroup trace_make_options();
OptionGroup sweep_options();
OptionGroup compare_options();
OptionGroup validate_options();
OptionGroup report_options();
OptionGroup generate_options();
OptionGroup dram_options();
OptionGroup machine_options();
OptionGroup hbm_options();

std::vector<OptionGroup> make_option_groups();

}  // namespace ridgepoint::config
