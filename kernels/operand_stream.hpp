// SPDX-License-Identifier: Apache-2.0
// A stored operand on its way to the matrix engine: a ring of tiles in the stored format and, where
// that is narrower than the format the engine multiplies in, a second ring into which the vector
// engine widens it (bits to numbers, times the block's scale).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/core_port.hpp"

namespace ridgepoint::kernels {

inline constexpr std::int64_t kWideSlots = 2;

// Widened on the vector engine before it is multiplied: narrower than the other operand.
constexpr bool widens(core::DType stored, core::DType other) {
  return core::bits_of(stored) < core::bits_of(other);
}
// The format the engine multiplies in, which sets its rate: the wider one.
constexpr core::DType multiplied_in(core::DType stored, core::DType other) {
  return core::bits_of(stored) > core::bits_of(other) ? stored : other;
}
// Vector passes per element: convert, and with a block scale also multiply.
constexpr std::int64_t widen_passes(core::DType stored) {
  return core::block_of(stored) > 1 ? 2 : 1;
}

class OperandStream {
 public:
  // Tiles of [rows, cols]. `other` is the format of the operand it is multiplied with.
  OperandStream(isa::CorePort& core, std::int64_t slots, std::int64_t rows, std::int64_t cols,
                core::DType stored, core::DType other);
  // Scratchpad the constructor takes.
  static std::int64_t bytes(std::int64_t slots, std::int64_t rows, std::int64_t cols,
                            core::DType stored, core::DType other);

  // Wait for this before load(use).
  isa::Token slot(std::int64_t use) const { return stored_.busy(use); }
  // Column 0 first; further parts of the same tile at other columns may follow.
  void load(std::int64_t use, const isa::View& view, const isa::Deps& deps = {},
            std::int64_t column = 0);
  // Issues the widening of [rows, cols] of a loaded tile, in order of use; nothing to do where the
  // format is not narrower. Issue it before what waits for other vector work.
  void widen(std::int64_t use, std::int64_t rows, std::int64_t cols);
  // What the matrix engine reads, when it is there, and that it was read.
  const isa::Tile& tile(std::int64_t use) const {
    return wide_ ? wide_->tile(use) : stored_.tile(use);
  }
  void add_ready(isa::Deps& deps, std::int64_t use) const;
  void used(std::int64_t use, isa::Token token);

 private:
  isa::CorePort& core_;
  core::DType dtype_;
  isa::Ring stored_;
  std::optional<isa::Ring> wide_;
  std::vector<isa::Deps> loaded_;    // per slot of stored_
  std::vector<isa::Token> widened_;  // per slot of wide_
};

}  // namespace ridgepoint::kernels
