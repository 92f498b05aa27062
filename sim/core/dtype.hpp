// SPDX-License-Identifier: Apache-2.0
// Number formats of stored tensors: sizes, names, 16-bit conversions. The formats narrower than 16
// bits and their scales are converted in narrow_formats.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ridgepoint::core {

// kFp8 is E4M3, the OCP name fp8 stands for in inference; kMxFp4 and kNvFp4 have E2M1 elements.
enum class DType : std::uint8_t {
  kFp32,
  kFp16,
  kBf16,
  kFp8,
  kFp8E5m2,
  kInt8,
  kInt4,
  kMxFp4,
  kNvFp4
};

// Of one element, without scales. In bits because some formats are narrower than a byte.
constexpr std::int64_t bits_of(DType dtype) {
  switch (dtype) {
    case DType::kFp32:
      return 32;
    case DType::kFp16:
    case DType::kBf16:
      return 16;
    case DType::kFp8:
    case DType::kFp8E5m2:
    case DType::kInt8:
      return 8;
    case DType::kInt4:
    case DType::kMxFp4:
    case DType::kNvFp4:
      return 4;
  }
  return 0;
}

// Elements of a row that share a stored scale; 1: the format stores none.
//   int8, int4: 32 with an fp16 scale (8.5 and 4.5 bits per element)
//   mxfp4:      32 with an E8M0 scale (4.25 bits)            OCP MX v1.0
//   nvfp4:      16 with an E4M3 scale (4.5 bits)
constexpr std::int64_t block_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt4:
    case DType::kMxFp4:
      return 32;
    case DType::kNvFp4:
      return 16;
    default:
      return 1;
  }
}

constexpr std::int64_t scale_bytes_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt4:
      return 2;
    case DType::kMxFp4:
    case DType::kNvFp4:
      return 1;
    default:
      return 0;
  }
}

// Bytes of a row of `count` packed elements: elements rounded up to a whole byte, and one scale per
// started block. Only a multiple of block_of() splits a row into parts whose bytes add up.
constexpr std::int64_t bytes_of(DType dtype, std::int64_t count) {
  const std::int64_t block = block_of(dtype);
  return (count * bits_of(dtype) + 7) / 8 + (count + block - 1) / block * scale_bytes_of(dtype);
}

// Bytes per element of a long row.
constexpr double mean_bytes_of(DType dtype) {
  return static_cast<double>(bits_of(dtype)) / 8 +
         static_cast<double>(scale_bytes_of(dtype)) / static_cast<double>(block_of(dtype));
}

std::string_view name_of(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
// "fp32, fp16, ..., nvfp4", for error messages and help.
std::string dtype_names();

// IEEE 754 binary16 and bfloat16, round to nearest even; NaN stays NaN, overflow goes to infinity.
std::uint16_t fp16_from_float(float value);
float float_from_fp16(std::uint16_t bits);
std::uint16_t bf16_from_float(float value);
float float_from_bf16(std::uint16_t bits);

}  // namespace ridgepoint::core
