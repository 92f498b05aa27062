// SPDX-License-Identifier: Apache-2.0
// Options of the search for what meets the service levels. The levels are serve's (--slo-...).
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup capacity_options() {
  using enum OptionType;
  static constexpr OptionRow kRows[] = {
      {.key = "capacity.seek",
       .flag = "seek",
       .type = kChoice,
       .fallback = "rate",
       .accepted = "rate|machines|memory",
       .help = "highest arrival rate, fewest machines, or smallest memory that meets the levels",
       .column = "seek"},
      {.key = "capacity.percentile",
       .flag = "percentile",
       .type = kReal,
       .fallback = "99",
       .unit = "percent",
       .minimum = 1,
       .maximum = 100,
       .help = "so many of the requests must keep each level",
       .column = "percentile",
       .needs = "!capacity.good_share"},
      {.key = "capacity.good_share",
       .flag = "good_share",
       .type = kReal,
       .minimum = 0.001,
       .maximum = 1,
       .help = "instead: this share of requests must keep all levels at once",
       .column = "good_share_ratio"},
      {.key = "capacity.tolerance",
       .flag = "tolerance",
       .type = kReal,
       .fallback = "0.02",
       .minimum = 0.0001,
       .maximum = 1,
       .help = "the answer and the nearest value that fails are this close",
       .column = "tolerance_ratio"},
      {.key = "capacity.most_machines",
       .flag = "most_machines",
       .type = kInteger,
       .fallback = "1024",
       .unit = "machines",
       .minimum = 1,
       .maximum = 1048576,
       .help = "with --seek machines: no more are tried",
       .column = "most_machines_count",
       .needs = "capacity.seek=machines"},
      {.key = "capacity.answer_only",
       .flag = "answer_only",
       .type = kSwitch,
       .fallback = "false",
       .help = "one row: the value that meets the levels, or the nearest if none does",
       .identity = false},
  };
  return {"Capacity", "capacity", kRows};
}

}  // namespace ridgepoint::config
