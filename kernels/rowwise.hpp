// SPDX-License-Identifier: Apache-2.0
// The one program of every kernel that works row by row on the vector engine: norms, embedding,
// rotary positions, activations. A kernel says what it loads, computes and stores per block.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

// Rows [r0, r0 + rows), columns [c0, c0 + cols).
struct Block {
  std::int64_t r0 = 0, rows = 0, c0 = 0, cols = 0;
};

// Something loaded per block (or once per core): a tile of at most [rows of a block, cols].
struct RowInput {
  std::int64_t cols = 0;
  core::DType dtype = core::DType::kFp16;
  std::function<isa::View(const Block&)> view;
  std::int64_t height = 1;  // rows of the tile per row of the block
};

// Part of the output tile: columns [column, column + view.cols) go to view.
struct RowStore {
  isa::View view;
  std::int64_t column = 0;
};

struct Rowwise {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool split_cols = false;  // columns are independent: blocks may cut them
  std::int64_t passes = 1;  // vector passes over rows * output columns
  std::vector<RowInput> inputs;
  std::vector<RowInput> constants;  // loaded once per core
  std::int64_t out_cols = 0;        // of the output tile of an uncut block
  core::DType out_dtype = core::DType::kFp16;
  std::function<void(const Block&, std::vector<RowStore>&)> stores;
  std::int64_t stored_row_bytes = -1;  // to HBM per row; -1: those of the output tile
  // in[i], constants[i], out: tiles of the block; only called with values attached.
  std::function<void(const Block&, const std::vector<isa::Tile>& in,
                     const std::vector<isa::Tile>& constants, const isa::Tile& out)>
      compute;
};

// Blocks go round the cores; two are in work on a core at a time.
isa::Kernel rowwise(const isa::CoreShape& shape, const Rowwise& spec, const std::string& name,
                    const std::string& family, const std::string& key);

}  // namespace ridgepoint::kernels
