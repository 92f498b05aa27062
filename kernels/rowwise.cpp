// SPDX-License-Identifier: Apache-2.0
#include "kernels/rowwise.hpp"

#include <algorithm>
#include <memory>

namespace ridgepoint::kernels {
namespace {

using isa::CorePort;
using isa::Deps;
using isa::Ring;
using isa::Tile;
using isa::Token;

constexpr std::int64_t kSlots = 2;
constexpr std::int64_t kNarrowest = 64;  // columns of a cut block

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct Grid {
  std::int64_t block_rows = 1, block_cols = 1, row_blocks = 1, col_blocks = 1;
};

std::int64_t row_bytes(const Rowwise& spec, std::int64_t block_cols) {
  const auto columns = [&](std::int64_t all) { return spec.split_cols ? block_cols : all; };
  std::int64_t bytes = core::bytes_of(spec.out_dtype, columns(spec.out_cols));
  for (const RowInput& input : spec.inputs) {
    bytes += input.height * core::bytes_of(input.dtype, columns(input.cols));
  }
  return bytes;
}

std::int64_t constant_bytes(const Rowwise& spec) {
  std::int64_t bytes = 0;
  for (const RowInput& input : spec.constants) bytes += core::bytes_of(input.dtype, input.cols);
  return bytes;
}

// Enough blocks for every core, none larger than half the scratchpad's slots.
Grid choose_grid(const isa::CoreShape& shape, const Rowwise& spec) {
  Grid grid;
  grid.block_cols = spec.cols;
  if (spec.split_cols && spec.rows < shape.cores) {
    const std::int64_t parts = shape.cores / spec.rows;
    grid.block_cols = std::min(spec.cols, std::max(kNarrowest, ceil_div(spec.cols, parts)));
  }
  const std::int64_t budget = shape.scratchpad_bytes - constant_bytes(spec);
  const auto block_row = [&] { return kSlots * row_bytes(spec, grid.block_cols); };
  while (spec.split_cols && block_row() > budget && grid.block_cols > kNarrowest) {
    grid.block_cols = ceil_div(grid.block_cols, 2);
  }
  const std::int64_t fits = std::max<std::int64_t>(1, budget / block_row());
  grid.block_rows = std::min(fits, ceil_div(spec.rows, shape.cores));
  grid.row_blocks = ceil_div(spec.rows, grid.block_rows);
  grid.col_blocks = ceil_div(spec.cols, grid.block_cols);
  return grid;
}

isa::Program program(CorePort& core, std::shared_ptr<const Rowwise> spec, Grid grid) {
  const std::int64_t blocks = grid.row_blocks * grid.col_blocks;
  if (core.index() >= blocks) co_return;
  std::vector<Ring> in;
  for (const RowInput& input : spec->inputs) {
    in.emplace_back(core, kSlots, grid.block_rows * input.height,
                    spec->split_cols ? grid.block_cols : input.cols, input.dtype);
  }
  Ring out(core, kSlots, grid.block_rows, spec->split_cols ? grid.block_cols : spec->out_cols,
           spec->out_dtype);
  std::vector<Tile> constants;
  Deps constants_loaded;
  for (const RowInput& input : spec->constants) {
    constants.push_back(core.tile(1, input.cols, input.dtype));
    constants_loaded.add(core.load(constants.back(), input.view({0, 1, 0, input.cols})));
  }
  std::vector<RowStore> stores;
  std::vector<std::vector<Token>> slot_stores(kSlots);
  std::int64_t use = 0;
  for (std::int64_t b = core.index(); b < blocks; b += core.count(), ++use) {
    Block block;
    block.r0 = b / grid.col_blocks * grid.block_rows;
    block.rows = std::min(grid.block_rows, spec->rows - block.r0);
    block.c0 = b % grid.col_blocks * grid.block_cols;
    block.cols = std::min(grid.block_cols, spec->cols - block.c0);
    // The slot's previous stores, all of them: they may finish in any order.
    std::vector<Token>& storing = slot_stores[static_cast<std::size_t>(use % kSlots)];
    for (const Token token : storing) co_await isa::until(core, token);
    storing.clear();
    Deps ready = constants_loaded;
    std::vector<Tile> tiles;
    for (std::size_t i = 0; i < in.size(); ++i) {
      tiles.push_back(in[i].tile(use));
      ready.add(core.load(tiles.back(), spec->inputs[i].view(block)));
    }
    const Tile result = out.tile(use);
    const std::int64_t width = spec->split_cols ? block.cols : spec->out_cols;
    const Token computed = core.vector({block.rows * width, spec->passes}, ready,
                                       [spec, block, tiles, constants, result] {
                                         spec->compute(block, tiles, constants, result);
                                       });
    stores.clear();
    spec->stores(block, stores);
    for (const RowStore& store : stores) {
      Tile part = result;
      if (part.values != nullptr) part.values += store.column;
      storing.push_back(core.store(store.view, part, {computed}));
    }
  }
}

double hbm_bytes(const isa::CoreShape& shape, const Rowwise& spec, const Grid& grid) {
  std::int64_t row = spec.stored_row_bytes >= 0 ? spec.stored_row_bytes
                                                : core::bytes_of(spec.out_dtype, spec.out_cols);
  for (const RowInput& input : spec.inputs) {
    row += input.height * core::bytes_of(input.dtype, input.cols);
  }
  std::int64_t bytes = spec.rows * row;
  const std::int64_t users = std::min(shape.cores, grid.row_blocks * grid.col_blocks);
  for (const RowInput& input : spec.constants) {
    bytes += users * core::bytes_of(input.dtype, input.cols);
  }
  return static_cast<double>(bytes);
}

}  // namespace

isa::Kernel rowwise(const isa::CoreShape& shape, const Rowwise& spec, const std::string& name,
                    const std::string& family, const std::string& key) {
  const Grid grid = choose_grid(shape, spec);
  auto shared = std::make_shared<const Rowwise>(spec);
  isa::Kernel kernel;
  kernel.name = name;
  kernel.family = family;
  kernel.key = key;
  kernel.model_bytes = hbm_bytes(shape, *shared, grid);
  const std::int64_t columns = choose_grid(shape.without_memories(), spec).block_cols;
  kernel.least.scratchpad = constant_bytes(spec) + kSlots * row_bytes(spec, columns);
  kernel.program = [shared, grid](CorePort& core) { return program(core, shared, grid); };
  return kernel;
}

}  // namespace ridgepoint::kernels
