// SPDX-License-Identifier: Apache-2.0
// Which core walks which output tiles of a grouped linear layer. Internal to it.
#pragma once

#include <vector>

#include "kernels/grouped/grouped.hpp"

namespace ridgepoint::kernels {

// One output tile: rows [m0, m0 + rows) of a group, columns [n0, n0 + cols).
struct GroupedTile {
  LinearGroup group;
  std::int64_t m0 = 0, rows = 0, n0 = 0, cols = 0;
  std::int64_t panel = 0;  // tiles of a core with the same number read the same rows of X
};

struct GroupedPlan {
  GroupedTiling tiling;
  std::vector<std::vector<GroupedTile>> by_core;
};
GroupedPlan plan_grouped(const isa::CoreShape& shape, const GroupedArgs& args);
// What the smallest tiles take.
isa::CoreBytes grouped_least(const isa::CoreShape& shape, const GroupedArgs& args);

}  // namespace ridgepoint::kernels
