// SPDX-License-Identifier: Apache-2.0
// Options of report.
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup report_options() {
  static constexpr OptionRow kRows[] = {
      {.key = "report.out",
       .flag = "out",
       .unit = "path of a file",
       .help = "write the page here instead of to standard output; also -o",
       .identity = false},
  };
  return {"Report", "report", kRows};
}

}  // namespace ridgepoint::config
