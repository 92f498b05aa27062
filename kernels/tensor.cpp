// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor.hpp"

namespace ridgepoint::kernels {
namespace {

void* offset_values(void* values, std::int64_t bytes) {
  return values == nullptr ? nullptr : static_cast<char*>(values) + bytes;
}

}  // namespace

isa::View Tensor::block(std::int64_t r0, std::int64_t n_rows, std::int64_t c0,
                        std::int64_t n_cols) const {
  isa::View view;
  view.space = space;
  view.traffic = traffic;
  view.dtype = dtype;
  view.rows = n_rows;
  view.cols = n_cols;
  view.row_bytes = row_bytes();
  view.address = address + static_cast<std::uint64_t>(r0) * row_bytes() +
                 static_cast<std::uint64_t>(core::bytes_of(dtype, c0));
  view.value_row_bytes = static_cast<std::int64_t>(row_bytes());
  view.values = offset_values(values, r0 * view.value_row_bytes + core::bytes_of(dtype, c0));
  view.scale = scale;
  return view;
}

isa::View Tensor::gather(const std::uint32_t* table, std::int64_t n_rows, std::int64_t c0,
                         std::int64_t n_cols) const {
  isa::View view = block(0, n_rows, c0, n_cols);
  view.pages = {table, 1, row_bytes(), static_cast<std::int64_t>(row_bytes()), 0};
  return view;
}

std::uint64_t Weight::footprint_bytes() const {
  return static_cast<std::uint64_t>(panels() * panel_rows * row_bytes());
}

isa::View Weight::block(std::int64_t n0, std::int64_t rows, std::int64_t k0,
                        std::int64_t cols) const {
  const std::int64_t before = core::bytes_of(dtype, k0);
  isa::View view;
  view.traffic = core::Traffic::kWeight;
  view.dtype = dtype;
  view.rows = rows;
  view.cols = cols;
  view.row_bytes = static_cast<std::uint64_t>(core::bytes_of(dtype, cols));
  view.panels = {panel_rows, static_cast<std::uint64_t>(panel_rows * row_bytes())};
  view.address = address + static_cast<std::uint64_t>(n0 * row_bytes() + panel_rows * before);
  view.values = offset_values(values, n0 * row_bytes() + before);
  view.value_row_bytes = row_bytes();
  view.scale = scale;
  return view;
}

}  // namespace ridgepoint::kernels
