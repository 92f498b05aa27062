// SPDX-License-Identifier: Apache-2.0
// Options that every subcommand understands: where results go, and the seed.
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup general_options() {
  using enum OptionType;
  static constexpr OptionRow kRows[] = {
      {.key = "general.csv",
       .flag = "csv",
       .unit = "path of a file",
       .help = "write the table here instead of to standard output",
       .used_by = "run plan serve capacity trace generate sweep merge compare validate list dram "
                  "check",
       .identity = false},
      {.key = "general.quiet",
       .flag = "quiet",
       .type = kSwitch,
       .fallback = "false",
       .help = "no text for people on standard error",
       .identity = false},
      {.key = "general.allow_unused",
       .flag = "allow_unused",
       .type = kSwitch,
       .fallback = "false",
       .help = "accept options that change nothing beside the others, as a sweep does",
       .used_by = "run plan serve capacity trace generate dram",
       .identity = false},
      {.key = "general.seed",
       .flag = "seed",
       .type = kInteger,
       .fallback = "1",
       .minimum = 0,
       .help = "seed of every random choice; recorded in the table",
       .column = "seed",
       .used_by = "run plan serve capacity trace generate dram"},
      {.key = "general.config",
       .flag = "config",
       .unit = "path of an INI file",
       .help = "more options; flags win over it, it wins over the machine",
       .used_by = "run plan serve capacity generate validate dram check",
       .identity = false},
  };
  return {"General",
          "run plan serve capacity trace generate sweep merge compare report validate list docs dram check",
          kRows};
}

}  // namespace ridgepoint::config
