// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/stored_type.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "sim/core/dtype.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kBlock = 32;
constexpr std::size_t kScaleBytes = 2;

float scale_of(const std::byte* block) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block, kScaleBytes);
  return core::float_from_fp16(bits);
}

void expand_q8_0(const std::byte* block, float* out) {
  const float scale = scale_of(block);
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const auto quant = static_cast<std::int8_t>(block[kScaleBytes + static_cast<std::size_t>(i)]);
    out[i] = scale * static_cast<float>(quant);
  }
}

void expand_q4_0(const std::byte* block, float* out) {
  const float scale = scale_of(block);
  for (std::int64_t i = 0; i < kBlock / 2; ++i) {
    const auto pair = static_cast<int>(block[kScaleBytes + static_cast<std::size_t>(i)]);
    out[i] = static_cast<float>((pair & 15) - 8) * scale;
    out[i + kBlock / 2] = static_cast<float>((pair >> 4) - 8) * scale;
  }
}

core::DType plain_dtype(StoredType type) {
  switch (type) {
    case StoredType::kF16:
      return core::DType::kFp16;
    case StoredType::kBf16:
      return core::DType::kBf16;
    default:
      return core::DType::kFp32;
  }
}

}  // namespace

std::string_view name_of(StoredType type) {
  switch (type) {
    case StoredType::kF32:
      return "F32";
    case StoredType::kF16:
      return "F16";
    case StoredType::kBf16:
      return "BF16";
    case StoredType::kQ8_0:
      return "Q8_0";
    case StoredType::kQ4_0:
      return "Q4_0";
  }
  return "?";
}

std::int64_t block_size(StoredType type) {
  return type == StoredType::kQ8_0 || type == StoredType::kQ4_0 ? kBlock : 1;
}

std::int64_t stored_bytes(StoredType type, std::int64_t count) {
  switch (type) {
    case StoredType::kQ8_0:
      return count / kBlock * 34;
    case StoredType::kQ4_0:
      return count / kBlock * 18;
    default:
      return core::bytes_of(plain_dtype(type), count);
  }
}

Tensor read_tensor(BinaryFile& file, std::uint64_t offset, const TensorSpec& spec,
                   StoredType type) {
  const std::int64_t count = spec.rows * spec.cols;
  const auto bytes = static_cast<std::uint64_t>(stored_bytes(type, count));
  if (offset > file.size() || bytes > file.size() - offset) {
    file.fail(spec.name, std::to_string(bytes) + " bytes", "runs past the end of the file", offset,
              "a file of more than its " + std::to_string(file.size()) + " bytes");
  }
  Tensor tensor = make_tensor(spec.name, spec.rows, spec.cols, plain_dtype(type));
  tensor.stored_as = name_of(type);
  if (block_size(type) == 1) {
    file.read(offset, tensor.bytes, spec.name);
  } else {
    std::vector<std::byte> blocks(static_cast<std::size_t>(bytes));
    file.read(offset, blocks, spec.name);
    const auto block_bytes = static_cast<std::size_t>(stored_bytes(type, kBlock));
    float* out = tensor.mutable_floats().data();
    for (std::size_t at = 0; at < blocks.size(); at += block_bytes, out += kBlock) {
      type == StoredType::kQ8_0 ? expand_q8_0(&blocks[at], out) : expand_q4_0(&blocks[at], out);
    }
  }
  require_finite(file, tensor);
  return tensor;
}

void require_finite(const BinaryFile& file, const Tensor& tensor) {
  // All exponent bits set means infinity or not a number.
  const auto fail_at = [&](std::size_t index) {
    file.fail(tensor.name, std::to_string(to_floats(tensor)[index]), "is not a number or infinite",
              index * static_cast<std::size_t>(core::bits_of(tensor.dtype)) / 8,
              "finite numbers (byte counted from the tensor's start)");
  };
  if (tensor.dtype == core::DType::kFp32) {
    const auto values = tensor.floats();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) fail_at(i);
    }
    return;
  }
  const unsigned exponent = tensor.dtype == core::DType::kFp16 ? 0x7c00u : 0x7f80u;
  const auto values = tensor.halves();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if ((values[i] & exponent) == exponent) fail_at(i);
  }
}

void interleave_heads(Tensor& tensor, std::int64_t head_dim, std::int64_t rotary_dim) {
  // A vector's elements are moved like the rows of a matrix one element wide.
  const std::int64_t rows = tensor.rows == 1 ? tensor.cols : tensor.rows;
  const std::size_t row_bytes = tensor.bytes.size() / static_cast<std::size_t>(rows);
  const std::vector<std::byte> from = tensor.bytes;
  const auto move_row = [&](std::int64_t source, std::int64_t target) {
    std::memcpy(&tensor.bytes[static_cast<std::size_t>(target) * row_bytes],
                &from[static_cast<std::size_t>(source) * row_bytes], row_bytes);
  };
  for (std::int64_t head = 0; head < rows; head += head_dim) {
    for (std::int64_t i = 0; i < rotary_dim / 2; ++i) {
      move_row(head + i, head + 2 * i);
      move_row(head + i + rotary_dim / 2, head + 2 * i + 1);
    }
  }
}

}  // namespace ridgepoint::workloads
