// SPDX-License-Identifier: Apache-2.0
// Number formats of stored tensors. Sizes are in bits because two formats are narrower than a byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ridgepoint::core {

enum class DType : std::uint8_t { kFp32, kFp16, kBf16, kFp8, kInt8, kInt4 };

constexpr std::int64_t bits_of(DType dtype) {
  switch (dtype) {
    case DType::kFp32: return 32;
    case DType::kFp16:
    case DType::kBf16: return 16;
    case DType::kFp8:
    case DType::kInt8: return 8;
    case DType::kInt4: return 4;
  }
  return 0;
}

// Bytes of `count` packed elements, rounded up to a whole byte.
constexpr std::int64_t bytes_of(DType dtype, std::int64_t count) {
  return (count * bits_of(dtype) + 7) / 8;
}

std::string_view name_of(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
// "fp32, fp16, bf16, fp8, int8, int4", for error messages and help.
std::string dtype_names();

// IEEE 754 binary16 and bfloat16, round to nearest even; NaN stays NaN, overflow goes to infinity.
std::uint16_t fp16_from_float(float value);
float float_from_fp16(std::uint16_t bits);
std::uint16_t bf16_from_float(float value);
float float_from_bf16(std::uint16_t bits);

}  // namespace ridgepoint::core
