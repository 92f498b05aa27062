// SPDX-License-Identifier: Apache-2.0
// The sizes a kernel plans its tiles by.
#pragma once

#include <cstdint>

namespace ridgepoint::isa {

struct CoreShape {
  std::int64_t cores = 1;
  std::int64_t matrix_rows = 128;  // K of one array pass
  std::int64_t matrix_cols = 128;  // N of one array pass; also the panel height of weights
  std::int64_t vector_lanes = 128;
  std::int64_t scratchpad_bytes = 0;
  std::int64_t accumulator_bytes = 0;
  std::int64_t shared_bytes = 0;  // 0: no resident panels
  std::int64_t tile_rows = 0;     // largest M of a tile; 0: as the accumulators allow
};

}  // namespace ridgepoint::isa
