// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/view.hpp"

#include <cstring>

#include "sim/core/error.hpp"

namespace ridgepoint::isa {
namespace {

template <typename Stored, typename Convert>
void read_rows(const View& view, float* out, std::int64_t stride, Convert convert) {
  for (std::int64_t r = 0; r < view.rows; ++r) {
    const auto* row = static_cast<const Stored*>(row_values(view, r));
    for (std::int64_t c = 0; c < view.cols; ++c) out[r * stride + c] = convert(row[c]);
  }
}

template <typename Stored, typename Convert>
void write_rows(const View& view, const float* in, std::int64_t stride, Convert convert) {
  for (std::int64_t r = 0; r < view.rows; ++r) {
    auto* row = static_cast<Stored*>(const_cast<void*>(row_values(view, r)));
    for (std::int64_t c = 0; c < view.cols; ++c) row[c] = convert(in[r * stride + c]);
  }
}

[[noreturn]] void no_values(core::DType dtype) {
  throw core::SimulationError("values in " + std::string(core::name_of(dtype)) +
                              " cannot be computed; attach fp32, fp16 or bf16 tensors");
}

}  // namespace

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
  std::int64_t offset = row * view.row_elements;
  if (view.pages.table != nullptr) {
    const auto absolute = view.pages.first_row + static_cast<std::uint32_t>(row);
    offset = view.pages.table[absolute / view.pages.rows_per_page] * view.pages.page_elements +
             (absolute % view.pages.rows_per_page) * view.row_elements;
  }
  const std::int64_t size = core::bits_of(view.dtype) / 8;
  return static_cast<const std::byte*>(view.values) + offset * size;
}

void read_values(const View& view, float* out, std::int64_t stride) {
  switch (view.dtype) {
    case core::DType::kFp32:
      return read_rows<float>(view, out, stride, [](float v) { return v; });
    case core::DType::kFp16:
      return read_rows<std::uint16_t>(view, out, stride, core::float_from_fp16);
    case core::DType::kBf16:
      return read_rows<std::uint16_t>(view, out, stride, core::float_from_bf16);
    default:
      no_values(view.dtype);
  }
}

void write_values(const View& view, const float* in, std::int64_t stride) {
  switch (view.dtype) {
    case core::DType::kFp32:
      return write_rows<float>(view, in, stride, [](float v) { return v; });
    case core::DType::kFp16:
      return write_rows<std::uint16_t>(view, in, stride, core::fp16_from_float);
    case core::DType::kBf16:
      return write_rows<std::uint16_t>(view, in, stride, core::bf16_from_float);
    default:
      no_values(view.dtype);
  }
}

}  // namespace ridgepoint::isa
