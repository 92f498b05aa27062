// SPDX-License-Identifier: Apache-2.0
// What a core tells somebody who watches it. A core without an observer pays one test of a null
// pointer per event. Cycles are those of the core clock; calls about one engine, and about one
// queue, come in order of time.
#pragma once

#include <cstddef>

#include "sim/accel/fabric.hpp"
#include "sim/isa/command.hpp"
#include "sim/probe/stall.hpp"

namespace ridgepoint::accel {

class CoreObserver {
 public:
  virtual ~CoreObserver() = default;

  // The engine was in this state; spans of one engine follow each other without gaps, and are what
  // CoreCounters::stalls sums.
  virtual void on_state(std::int64_t core, isa::Engine engine, probe::Stall state, core::Cycle from,
                        core::Cycle to) = 0;
  // Commands that wait in the engine's queue from `at` on.
  virtual void on_queue(std::int64_t core, isa::Engine engine, std::size_t depth,
                        core::Cycle at) = 0;
  // The matrix or vector engine works on a command.
  virtual void on_compute(std::int64_t core, const isa::Command& command, core::Cycle from,
                          core::Cycle to) = 0;
  // A piece of a load or store leaves the core at `from` and holds the address path, a store also
  // the egress port, until `to`. `last`: the command is cut up to its end.
  virtual void on_piece(std::int64_t core, const isa::Command& command, const Piece& piece,
                        core::Cycle from, core::Cycle to, bool last) = 0;
};

}  // namespace ridgepoint::accel
