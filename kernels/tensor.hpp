// SPDX-License-Identifier: Apache-2.0
// Matrices in memory, and the views kernels take of them. A tensor has addresses always and values
// only when attached.
#pragma once

#include <cstdint>

#include "sim/isa/view.hpp"

namespace ridgepoint::kernels {

// Row-major [rows, cols].
struct Tensor {
  isa::Space space = isa::Space::kHbm;
  core::Traffic traffic = core::Traffic::kActivation;
  core::DType dtype = core::DType::kFp16;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::uint64_t address = 0;
  void* values = nullptr;
  float scale = 1;  // of the whole tensor

  std::uint64_t row_bytes() const {
    return static_cast<std::uint64_t>(core::bytes_of(dtype, cols));
  }
  std::uint64_t bytes() const { return row_bytes() * static_cast<std::uint64_t>(rows); }
  // Rows [r0, r0 + n_rows), columns [c0, c0 + n_cols) with c0 on a whole block of the format.
  isa::View block(std::int64_t r0, std::int64_t n_rows, std::int64_t c0, std::int64_t n_cols) const;
  // Row i of the view is row table[i] of the tensor; the table must outlive the kernel.
  isa::View gather(const std::uint32_t* table, std::int64_t n_rows, std::int64_t c0,
                   std::int64_t n_cols) const;
};

// A weight matrix [N, K] (y = x * W^T) whose addresses are in panels of `panel_rows` rows; values,
// when attached, are row-major.
struct Weight {
  core::DType dtype = core::DType::kFp16;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t panel_rows = 128;
  std::uint64_t address = 0;
  void* values = nullptr;
  float scale = 1;  // of the whole matrix

  std::int64_t row_bytes() const { return core::bytes_of(dtype, k); }
  std::int64_t panels() const { return (n + panel_rows - 1) / panel_rows; }
  // Address space, the last panel padded.
  std::uint64_t footprint_bytes() const;
  // Rows [n0, n0 + rows) with n0 a multiple of panel_rows, columns [k0, k0 + cols) with k0 on
  // a whole block of the format.
  isa::View block(std::int64_t n0, std::int64_t rows, std::int64_t k0, std::int64_t cols) const;
};

}  // namespace ridgepoint::kernels
