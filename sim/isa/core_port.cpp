// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/core_port.hpp"

#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::isa {

void Deps::add(Token token) {
  if (!token.valid()) return;
  if (count == kMost) {
    throw core::SimulationError("a command waits for more than " + std::to_string(kMost) +
                                " tokens");
  }
  tokens[count++] = token;
}

Token CorePort::load(const Tile& tile, const View& view, const Deps& deps) {
  if (view.rows > tile.rows || view.cols > tile.cols) {
    throw core::SimulationError("load of " + std::to_string(view.rows) + "x" +
                                std::to_string(view.cols) + " into a tile of " +
                                std::to_string(tile.rows) + "x" + std::to_string(tile.cols));
  }
  Command command;
  command.engine = Engine::kLoad;
  command.tile = tile;
  command.view = view;
  command.deps = deps;
  return issue(std::move(command));
}

Token CorePort::store(const View& view, const Tile& tile, const Deps& deps) {
  if (view.rows > tile.rows || view.cols > tile.cols) {
    throw core::SimulationError("store of " + std::to_string(view.rows) + "x" +
                                std::to_string(view.cols) + " from a tile of " +
                                std::to_string(tile.rows) + "x" + std::to_string(tile.cols));
  }
  Command command;
  command.engine = Engine::kStore;
  command.tile = tile;
  command.view = view;
  command.deps = deps;
  return issue(std::move(command));
}

Token CorePort::matrix(const MatrixOp& op, const Deps& deps) {
  Command command;
  command.engine = Engine::kMatrix;
  command.matrix = op;
  command.deps = deps;
  return issue(std::move(command));
}

Ring::Ring(CorePort& core, std::int64_t slots, std::int64_t rows, std::int64_t cols,
           core::DType dtype)
    : last_use_(static_cast<std::size_t>(slots)) {
  tiles_.reserve(static_cast<std::size_t>(slots));
  for (std::int64_t i = 0; i < slots; ++i) tiles_.push_back(core.tile(rows, cols, dtype));
}

}  // namespace ridgepoint::isa
