// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor.hpp"

namespace ridgepoint::kernels {
namespace {

void* offset_values(void* values, core::DType dtype, std::int64_t elements) {
  if (values == nullptr) return nullptr;
  return static_cast<char*>(values) + core::bytes_of(dtype, elements);
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
  view.values = offset_values(values, dtype, r0 * cols + c0);
  view.row_elements = cols;
  return view;
}

isa::View Tensor::gather(const std::uint32_t* table, std::int64_t n_rows, std::int64_t c0,
                         std::int64_t n_cols) const {
  isa::View view = block(0, n_rows, c0, n_cols);
  view.pages = {table, 1, row_bytes(), cols, 0};
  return view;
}

std::uint64_t Weight::footprint_bytes() const {
  return static_cast<std::uint64_t>(core::bytes_of(dtype, panels() * panel_rows * k));
}

isa::View Weight::block(std::int64_t n0, std::int64_t rows, std::int64_t k0,
                        std::int64_t cols) const {
  isa::View view;
  view.traffic = core::Traffic::kWeight;
  view.dtype = dtype;
  view.rows = rows;
  view.cols = cols;
  view.row_bytes = static_cast<std::uint64_t>(core::bytes_of(dtype, cols));
  view.panels = {panel_rows, static_cast<std::uint64_t>(core::bytes_of(dtype, panel_rows * k))};
  view.address = address + static_cast<std::uint64_t>(core::bytes_of(dtype, n0 * k)) +
                 static_cast<std::uint64_t>(core::bytes_of(dtype, panel_rows * k0));
  view.values = offset_values(values, dtype, n0 * k + k0);
  view.row_elements = k;
  return view;
}

}  // namespace ridgepoint::kernels
