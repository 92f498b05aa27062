// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/view.hpp"

#include <algorithm>

#include "sim/core/narrow_formats.hpp"

namespace ridgepoint::isa {
void append_segments(const View& view, std::vector<Segment>& out) {
  const auto row_size = static_cast<std::uint64_t>(core::bytes_of(view.dtype, view.cols));
  const auto append = [&out](std::uint64_t address, std::uint64_t bytes) {
    if (!out.empty() && out.back().address + out.back().bytes == address) {
      out.back().bytes += bytes;
    } else {
      out.push_back({address, bytes});
    }
  };
  if (view.panels.rows > 0) {
    std::uint64_t address = view.address;
    for (std::int64_t r = 0; r < view.rows; r += view.panels.rows) {
      const std::int64_t count = std::min(view.panels.rows, view.rows - r);
      append(address, row_size * static_cast<std::uint64_t>(count));
      address += view.panels.bytes;
    }
    return;
  }
  const bool adjacent = view.row_bytes == row_size;
  if (view.pages.table == nullptr && adjacent) {
    append(view.address, row_size * static_cast<std::uint64_t>(view.rows));
    return;
  }
  const std::uint32_t per_page = view.pages.rows_per_page;
  for (std::int64_t r = 0; r < view.rows;) {
    std::int64_t count = 1;
    std::uint64_t address = view.address + static_cast<std::uint64_t>(r) * view.row_bytes;
    if (view.pages.table != nullptr) {
      const auto absolute = view.pages.first_row + static_cast<std::uint32_t>(r);
      const std::uint32_t within = absolute % per_page;
      address = view.address + view.pages.table[absolute / per_page] * view.pages.page_bytes +
                within * view.row_bytes;
      if (adjacent) count = std::min<std::int64_t>(per_page - within, view.rows - r);
    }
    append(address, row_size * static_cast<std::uint64_t>(count));
    r += count;
  }
}

const void* row_values(const View& view, std::int64_t row) {
  std::int64_t offset = row * view.value_row_bytes;
  if (view.pages.table != nullptr) {
    const auto absolute = view.pages.first_row + static_cast<std::uint32_t>(row);
    offset = view.pages.table[absolute / view.pages.rows_per_page] * view.pages.value_bytes +
             (absolute % view.pages.rows_per_page) * view.value_row_bytes;
  }
  return static_cast<const std::byte*>(view.values) + offset;
}

void read_values(const View& view, float* out, std::int64_t stride) {
  for (std::int64_t r = 0; r < view.rows; ++r) {
    core::decode_row(view.dtype, static_cast<const std::byte*>(row_values(view, r)), view.cols,
                     view.scale, out + r * stride);
  }
}

void write_values(const View& view, const float* in, std::int64_t stride) {
  for (std::int64_t r = 0; r < view.rows; ++r) {
    core::encode_row(view.dtype, in + r * stride, view.cols, view.scale,
                     static_cast<std::byte*>(const_cast<void*>(row_values(view, r))));
  }
}

}  // namespace ridgepoint::isa
