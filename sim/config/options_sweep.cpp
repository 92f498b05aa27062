// SPDX-License-Identifier: Apache-2.0
// Options of sweep, merge and compare: which points, how they are run, where the rows go.
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup sweep_options() {
  using enum OptionType;
  static constexpr OptionRow kRows[] = {
      {.key = "sweep.of",
       .flag = "of",
       .type = kChoice,
       .fallback = "run",
       .accepted = "run|plan|serve|capacity|dram",
       .help = "the subcommand that makes one point",
       .identity = false},
      {.key = "sweep.vary",
       .flag = "vary",
       .unit = "name=a,b,c | name=low:high:step | name=low:high:*factor | n1+n2=a1+a2,b1+b2",
       .help = "an axis over any option; again for more axes, the last one varies fastest; machine=all "
               "and model=all take every name",
       .repeated = true,
       .identity = false},
      {.key = "sweep.skip",
       .flag = "skip",
       .unit = "'name=a,b name=c'",
       .help = "leave out points where all of this holds; again for more rules",
       .repeated = true,
       .identity = false},
      {.key = "sweep.jobs",
       .flag = "jobs",
       .type = kInteger,
       .fallback = "1",
       .unit = "processes",
       .minimum = 1,
       .maximum = 1024,
       .help = "points that run at the same time",
       .identity = false},
      {.key = "sweep.resume",
       .flag = "resume",
       .type = kSwitch,
       .fallback = "false",
       .help = "keep the finished rows of --csv and run the rest",
       .identity = false},
      {.key = "sweep.shard",
       .flag = "shard",
       .unit = "i/n",
       .help = "run only every n-th point, starting with the i-th; join the files with merge",
       .identity = false},
      {.key = "sweep.timeout_s",
       .flag = "timeout_s",
       .type = kReal,
       .unit = "s",
       .minimum = 0.001,
       .maximum = 1e7,
       .help = "a point that takes longer is stopped and fails",
       .identity = false},
      {.key = "sweep.dry_run",
       .flag = "dry_run",
       .type = kSwitch,
       .fallback = "false",
       .help = "print the points instead of running them",
       .identity = false},
  };
  return {"Sweep", "sweep", kRows};
}

}  // namespace ridgepoint::config
