// SPDX-License-Identifier: Apache-2.0
// The one place that lists the kinds of tables. A new kind is a columns_<kind>.cpp, its declaration
// here, and its line in columns.cpp.
#pragma once

#include "results/columns.hpp"

namespace ridgepoint::results {

Table run_table();
Table kernels_table();
Table generate_table();
Table dram_table();
Table plan_table();
Table serve_table();
Table capacity_table();
Table serve_requests_table();
Table serve_steps_table();
Table trace_table();
Table validate_table();
Table validate_summary_table();
Table bench_table();

}  // namespace ridgepoint::results
