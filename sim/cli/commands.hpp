// SPDX-License-Identifier: Apache-2.0
// The functions behind the subcommands, one per file of the same name.
#pragma once

#include "sim/cli/subcommands.hpp"

namespace ridgepoint::cli {

int capacity_command(const Context& context);
int check_command(const Context& context);
int compare_command(const Context& context);
int docs_command(const Context& context);
int dram_command(const Context& context);
int list_command(const Context& context);
int generate_command(const Context& context);
int merge_command(const Context& context);
int report_command(const Context& context);
int run_command(const Context& context);
int plan_command(const Context& context);
int serve_command(const Context& context);
int sweep_command(const Context& context);
int trace_command(const Context& context);
int validate_command(const Context& context);

}  // namespace ridgepoint::cli
