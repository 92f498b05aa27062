// SPDX-License-Identifier: Apache-2.0
// Host speed: what the benchmarks of results/bench measure.
#include "results/column_tables.hpp"

namespace ridgepoint::results {

Table bench_table() {
  using enum CellType;
  static constexpr Column kColumns[] = {
      {"benchmark", kText, "what ran", true},
      {"metric", kText, "what was measured, with its unit at the end; _ratio: within this run",
       true},
      {"value", kReal, "of the metric"},
  };
  return {"bench", 1, "Host speed", kColumns, "docs"};
}

}  // namespace ridgepoint::results
