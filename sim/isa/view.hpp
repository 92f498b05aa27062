// SPDX-License-Identifier: Apache-2.0
// What a DMA moves: a matrix in a memory, as addresses (always) and as values (when attached).
// The two describe the same elements; timing reads only the addresses, values only the pointers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/dtype.hpp"
#include "sim/core/memory_port.hpp"

namespace ridgepoint::isa {

enum class Space : std::uint8_t { kHbm, kShared };

// Rows may be paged: row r lies in page pages[r / rows_per_page], as KV blocks do.
struct Pages {
  const std::uint32_t* table = nullptr;  // null: not paged; must outlive the kernel
  std::uint32_t rows_per_page = 0;
  std::uint64_t page_bytes = 0;  // address step from one page id to the next
  std::int64_t value_bytes = 0;  // the same step in the value array
  std::uint32_t first_row = 0;   // row 0 of the view is this row of the page list
};

// Rows may lie in panels, the layout of weights: `rows` rows of a panel stand together, K block
// after K block, so that a tile of whole panels is one contiguous range per panel.
struct Panels {
  std::int64_t rows = 0;    // per panel; 0: not panelled
  std::uint64_t bytes = 0;  // from one panel to the next
};

// [rows, cols] elements of `dtype`; a row begins on a whole block of the format. Address of row r:
// address + r * row_bytes (within a page when paged). A view whose rows are adjacent (row_bytes ==
// cols * size) is one contiguous range.
struct View {
  Space space = Space::kHbm;
  core::Traffic traffic = core::Traffic::kOther;
  core::DType dtype = core::DType::kFp16;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::uint64_t address = 0;
  std::uint64_t row_bytes = 0;
  void* values = nullptr;            // element [0, 0]; null in timing-only runs
  std::int64_t value_row_bytes = 0;  // value stride between rows
  float scale = 1;                   // of the whole tensor: value = stored * scale
  Pages pages;
  Panels panels;

  std::int64_t bytes() const { return rows * core::bytes_of(dtype, cols); }
};

// One contiguous address range of a view.
struct Segment {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// The view's address ranges in row order, adjacent ones joined.
void append_segments(const View& view, std::vector<Segment>& out);

// Pointer to row r's first element; values must be attached.
const void* row_values(const View& view, std::int64_t row);

// Copies between a view's stored format and row-major floats with `stride` elements per row.
void read_values(const View& view, float* out, std::int64_t stride);
void write_values(const View& view, const float* in, std::int64_t stride);

}  // namespace ridgepoint::isa
