// SPDX-License-Identifier: Apache-2.0
#include "kernels/operand_stream.hpp"

#include "sim/core/narrow_formats.hpp"

namespace ridgepoint::kernels {

using isa::Deps;
using isa::Tile;
using isa::Token;

OperandStream::OperandStream(isa::CorePort& core, std::int64_t slots, std::int64_t rows,
                             std::int64_t cols, core::DType stored, core::DType other)
    : core_(core),
      dtype_(stored),
      stored_(core, slots, rows, cols, stored),
      loaded_(static_cast<std::size_t>(slots)),
      widened_(kWideSlots) {
  if (widens(stored, other)) wide_.emplace(core, kWideSlots, rows, cols, other);
}

std::int64_t OperandStream::bytes(std::int64_t slots, std::int64_t rows, std::int64_t cols,
                                  core::DType stored, core::DType other) {
  const std::int64_t narrow = slots * rows * core::bytes_of(stored, cols);
  return narrow + (widens(stored, other) ? kWideSlots * rows * core::bytes_of(other, cols) : 0);
}

void OperandStream::load(std::int64_t use, const isa::View& view, const Deps& deps,
                         std::int64_t column) {
  Deps& loaded = loaded_[static_cast<std::size_t>(use) % loaded_.size()];
  if (column == 0) loaded = {};
  Tile part = stored_.tile(use);
  if (part.values != nullptr) part.values += column;
  loaded.add(core_.load(part, view, deps));
}

void OperandStream::widen(std::int64_t use, std::int64_t rows, std::int64_t cols) {
  if (!wide_) return;
  Deps deps = loaded_[static_cast<std::size_t>(use) % loaded_.size()];
  deps.add(wide_->busy(use));
  const Tile from = stored_.tile(use), to = wide_->tile(use);
  const Token token =
      core_.vector({rows * cols, widen_passes(dtype_)}, deps, [from, to, rows, cols] {
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < cols; ++c) {
            to.values[r * to.cols + c] = core::rounded_to(to.dtype, from.values[r * from.cols + c]);
          }
        }
      });
  stored_.used(use, token);
  widened_[static_cast<std::size_t>(use) % widened_.size()] = token;
}

void OperandStream::add_ready(Deps& deps, std::int64_t use) const {
  if (wide_) return deps.add(widened_[static_cast<std::size_t>(use) % widened_.size()]);
  const Deps& loaded = loaded_[static_cast<std::size_t>(use) % loaded_.size()];
  for (std::uint32_t i = 0; i < loaded.count; ++i) deps.add(loaded.tokens[i]);
}

void OperandStream::used(std::int64_t use, Token token) {
  (wide_ ? *wide_ : stored_).used(use, token);
}

}  // namespace ridgepoint::kernels
