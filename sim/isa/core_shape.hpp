// SPDX-License-Identifier: Apache-2.0
// The sizes a kernel plans its tiles by.
#pragma once

#include <cstdint>

namespace ridgepoint::isa {

// Of a core's memories.
struct CoreBytes {
  std::int64_t scratchpad = 0;
  std::int64_t accumulators = 0;
};

struct CoreShape {
  std::int64_t cores = 1;
  std::int64_t matrix_rows = 128;  // K of one array pass
  std::int64_t matrix_cols = 128;  // N of one array pass; also the panel height of weights
  std::int64_t vector_lanes = 128;
  std::int64_t scratchpad_bytes = 0;
  std::int64_t accumulator_bytes = 0;
  std::int64_t shared_bytes = 0;  // 0: no resident panels
  std::int64_t tile_rows = 0;     // largest M of a tile; 0: as the accumulators allow
  // A hardware cache of HBM reads in place of resident panels, and what a core can load from it.
  std::int64_t cached_bytes = 0;
  std::int64_t load_bytes_per_cycle = 0;
  std::int64_t blocks = 0;  // independent pieces of work a core holds at once; 0: as memory allows
  std::int64_t block_cycles = 0;  // of the vector engine before work begins, for each of blocks

  bool holds(const CoreBytes& bytes) const {
    return bytes.scratchpad <= scratchpad_bytes && bytes.accumulators <= accumulator_bytes;
  }
  // A planner that finds no tiles which fit answers with its smallest: those of such a core.
  CoreShape without_memories() const {
    CoreShape shape = *this;
    shape.scratchpad_bytes = shape.accumulator_bytes = 0;
    return shape;
  }
};

}  // namespace ridgepoint::isa
