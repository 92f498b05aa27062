// SPDX-License-Identifier: Apache-2.0
// Options of compare.
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup compare_options() {
  using enum OptionType;
  static constexpr OptionRow kRows[] = {
      {.key = "compare.keys",
       .flag = "keys",
       .unit = "column,column",
       .help = "columns that together name a row; by default the key columns of the table and the "
               "axes of a sweep",
       .identity = false},
      {.key = "compare.columns",
       .flag = "columns",
       .unit = "column,column",
       .help = "numbers to compare; by default all",
       .identity = false},
      {.key = "compare.fail_above",
       .flag = "fail_above",
       .unit = "0.02 or 2%",
       .help = "exit code 1 if a number changes by more, or a row has no partner",
       .identity = false},
      {.key = "compare.format",
       .flag = "format",
       .type = kChoice,
       .fallback = "table",
       .accepted = "table|csv|markdown",
       .help = "what goes to standard output",
       .identity = false},
  };
  return {"Compare", "compare", kRows};
}

}  // namespace ridgepoint::config
