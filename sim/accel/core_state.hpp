// SPDX-License-Identifier: Apache-2.0
// What a core keeps: of its events, its transfers and its engines. The behaviour is in core.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/accel/fabric.hpp"
#include "sim/core/time.hpp"
#include "sim/isa/core_port.hpp"
#include "sim/probe/stall.hpp"

namespace ridgepoint::accel {

// Work done by one core since it was built.
struct CoreCounters {
  std::array<probe::StallCycles, isa::kEngines> stalls{};
  std::array<std::uint64_t, isa::kEngines> commands{};
  double matrix_flops = 0;  // 2 per multiply-accumulate asked for
  double vector_elements = 0;
};

inline constexpr std::uint32_t kNoTransfer = 0xffffffffu;

// In the order in which events of one cycle are applied.
enum class CoreAction : std::uint8_t {
  kStart,
  kResponse,
  kCredit,
  kShared,
  kTransferDone,
  kArrayDone,
  kRetry
};

struct CoreEvent {
  core::Cycle cycle;
  std::uint64_t sequence;  // ties: CoreAction, then payload: order of delivery does not matter
  std::uint64_t payload;
  bool operator>(const CoreEvent& other) const {
    if (cycle != other.cycle) return cycle > other.cycle;
    if (sequence != other.sequence) return sequence > other.sequence;
    return payload > other.payload;
  }
};

// A load or store between its start and its last piece's arrival.
struct Transfer {
  isa::Command command;
  std::vector<Piece> pieces;
  std::size_t issued = 0;
  std::size_t outstanding = 0;
};

// One DMA direction.
struct Mover {
  std::deque<isa::Command> queue;
  std::uint32_t current = kNoTransfer;  // being cut into pieces
  core::Cycle next_issue = 0;
  std::int64_t in_flight_bytes = 0;
  std::int64_t limit_bytes = 0;
  std::uint64_t in_flight_pieces = 0;
  std::uint64_t active_transfers = 0;
  bool blocked_on_port = false;
};

// The matrix or the vector engine.
struct Array {
  std::deque<isa::Command> queue;
  std::deque<isa::Command> executing;  // started, result not yet out (pipelined)
  core::Cycle free_at = 0;
};

}  // namespace ridgepoint::accel
