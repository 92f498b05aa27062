// SPDX-License-Identifier: Apache-2.0
#include "sim/core/dtype.hpp"

#include <array>
#include <bit>

namespace ridgepoint::core {
namespace {

struct Named {
  DType dtype;
  std::string_view name;
};
constexpr std::array<Named, 9> kNames{{{DType::kFp32, "fp32"},
                                       {DType::kFp16, "fp16"},
                                       {DType::kBf16, "bf16"},
                                       {DType::kFp8, "fp8"},
                                       {DType::kFp8E5m2, "fp8_e5m2"},
                                       {DType::kInt8, "int8"},
                                       {DType::kInt4, "int4"},
                                       {DType::kMxFp4, "mxfp4"},
                                       {DType::kNvFp4, "nvfp4"}}};

}  // namespace

std::string_view name_of(DType dtype) {
  for (const Named& entry : kNames) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "?";
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Named& entry : kNames) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::string text;
  for (const Named& entry : kNames) {
    if (!text.empty()) text += ", ";
    text += entry.name;
  }
  return text;
}

std::uint16_t fp16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 65520
  if (magnitude < 0x38800000u) {  // below 2^-14: subnormal; 0.5f has the ulp of a binary16 one
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(
        sign | (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f)));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t rounded = magnitude + 0xfffu + odd - 0x38000000u;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

float float_from_fp16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {
    return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  }
  if (magnitude < 0x400u) {  // subnormal: an integer multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
}

std::uint16_t bf16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float float_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace ridgepoint::core
