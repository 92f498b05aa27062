// SPDX-License-Identifier: Apache-2.0
#include "sim/core/narrow_formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ridgepoint::core {
namespace {

// A sign, `mantissa` bits and an exponent with this bias; largest finite magnitude.
struct Minifloat {
  int mantissa;
  int bias;
  float largest;
};
constexpr Minifloat kE4m3{3, 7, 448.0f};
constexpr Minifloat kE5m2{2, 15, 57344.0f};
constexpr Minifloat kE2m1{1, 1, 6.0f};

// Exponent and mantissa bits of |value|, rounded to nearest even.
unsigned magnitude_bits(const Minifloat& format, float value) {
  const float magnitude = std::min(std::fabs(value), format.largest);
  const int least = 1 - format.bias;  // exponent of the smallest normal number
  const int exponent = magnitude == 0 ? least : std::max(least, std::ilogb(magnitude));
  // In units of the last place: below 2 << mantissa before rounding; nearbyint rounds to even.
  const auto units =
      static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent)));
  // Adding the exponent field on top lets a carry move into it; a subnormal's field is 0.
  return units + (static_cast<unsigned>(exponent - least) << format.mantissa);
}

float magnitude_of(const Minifloat& format, unsigned bits) {
  const unsigned mantissa = bits & ((1u << format.mantissa) - 1);
  const int exponent = static_cast<int>(bits >> format.mantissa);
  if (exponent == 0) {
    return std::ldexp(static_cast<float>(mantissa), 1 - format.bias - format.mantissa);
  }
  return std::ldexp(static_cast<float>(mantissa + (1u << format.mantissa)),
                    exponent - format.bias - format.mantissa);
}

float with_sign(float magnitude, bool negative) { return negative ? -magnitude : magnitude; }

float largest_of(const float* values, std::int64_t count) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
  return largest;
}

void put16(std::byte* out, std::uint16_t bits) {
  out[0] = static_cast<std::byte>(bits & 0xffu);
  out[1] = static_cast<std::byte>(bits >> 8);
}

std::uint16_t get16(const std::byte* in) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(in[0]) |
                                    (std::to_integer<unsigned>(in[1]) << 8));
}

// The block's scale: written, and as the factor its elements get back.
float put_scale(DType dtype, float largest, std::byte* out) {
  if (dtype == DType::kMxFp4) {
    const int exponent = largest == 0 ? 0 : std::clamp(std::ilogb(largest) - 2, -127, 127);
    out[0] = static_cast<std::byte>(exponent + 127);
    return std::ldexp(1.0f, exponent);
  }
  if (dtype == DType::kNvFp4) {
    const std::uint8_t bits = e4m3_from_float(largest / kE2m1.largest);
    out[0] = static_cast<std::byte>(bits);
    return float_from_e4m3(bits);
  }
  const std::uint16_t bits = fp16_from_float(largest / (dtype == DType::kInt8 ? 127.0f : 7.0f));
  put16(out, bits);
  return float_from_fp16(bits);
}

float get_scale(DType dtype, const std::byte* in) {
  if (dtype == DType::kMxFp4) return float_from_e8m0(std::to_integer<std::uint8_t>(in[0]));
  if (dtype == DType::kNvFp4) return float_from_e4m3(std::to_integer<std::uint8_t>(in[0]));
  return float_from_fp16(get16(in));
}

unsigned element_bits(DType dtype, float value) {
  if (dtype == DType::kMxFp4 || dtype == DType::kNvFp4) return e2m1_from_float(value);
  const float most = dtype == DType::kInt8 ? 127.0f : 7.0f;
  const auto whole = static_cast<int>(std::nearbyint(std::clamp(value, -most, most)));
  return static_cast<unsigned>(whole) & (dtype == DType::kInt8 ? 0xffu : 0xfu);
}

float element_value(DType dtype, unsigned bits) {
  if (dtype == DType::kMxFp4 || dtype == DType::kNvFp4) {
    return float_from_e2m1(static_cast<std::uint8_t>(bits));
  }
  if (dtype == DType::kInt8) return static_cast<float>(static_cast<std::int8_t>(bits));
  return static_cast<float>(static_cast<int>(bits ^ 8u) - 8);  // 4-bit two's complement
}

void encode_block(DType dtype, const float* in, std::int64_t count, float scale, std::byte* out) {
  const float step = put_scale(dtype, largest_of(in, count) / scale, out);
  std::byte* elements = out + scale_bytes_of(dtype);
  const float inverse = step == 0 ? 0.0f : 1.0f / (step * scale);
  std::fill_n(elements, (count * bits_of(dtype) + 7) / 8, std::byte{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const unsigned bits = element_bits(dtype, in[i] * inverse);
    if (bits_of(dtype) == 8) {
      elements[i] = static_cast<std::byte>(bits);
    } else {
      elements[i / 2] |= static_cast<std::byte>(bits << (i % 2 * 4));
    }
  }
}

void decode_block(DType dtype, const std::byte* in, std::int64_t count, float scale, float* out) {
  const float step = get_scale(dtype, in) * scale;
  const std::byte* elements = in + scale_bytes_of(dtype);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto byte = std::to_integer<unsigned>(elements[bits_of(dtype) == 8 ? i : i / 2]);
    const unsigned bits = bits_of(dtype) == 8 ? byte : (byte >> (i % 2 * 4)) & 0xfu;
    out[i] = element_value(dtype, bits) * step;
  }
}

// One loop per format: these are the inner loops of every load and store with values.
template <typename Stored, typename Convert>
void encode_each(const float* in, std::int64_t count, float scale, std::byte* out,
                 Convert convert) {
  const float inverse = 1.0f / scale;
  for (std::int64_t i = 0; i < count; ++i) {
    const Stored stored = convert(scale == 1 ? in[i] : in[i] * inverse);
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof stored), &stored, sizeof stored);
  }
}

template <typename Stored, typename Convert>
void decode_each(const std::byte* in, std::int64_t count, float scale, float* out,
                 Convert convert) {
  for (std::int64_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, in + i * static_cast<std::int64_t>(sizeof stored), sizeof stored);
    out[i] = scale == 1 ? convert(stored) : convert(stored) * scale;
  }
}

void encode_plain(DType dtype, const float* in, std::int64_t count, float scale, std::byte* out) {
  switch (dtype) {
    case DType::kFp32:
      return encode_each<float>(in, count, scale, out, [](float value) { return value; });
    case DType::kFp16:
      return encode_each<std::uint16_t>(in, count, scale, out, fp16_from_float);
    case DType::kBf16:
      return encode_each<std::uint16_t>(in, count, scale, out, bf16_from_float);
    case DType::kFp8E5m2:
      return encode_each<std::uint8_t>(in, count, scale, out, e5m2_from_float);
    default:
      return encode_each<std::uint8_t>(in, count, scale, out, e4m3_from_float);
  }
}

void decode_plain(DType dtype, const std::byte* in, std::int64_t count, float scale, float* out) {
  switch (dtype) {
    case DType::kFp32:
      return decode_each<float>(in, count, scale, out, [](float value) { return value; });
    case DType::kFp16:
      return decode_each<std::uint16_t>(in, count, scale, out, float_from_fp16);
    case DType::kBf16:
      return decode_each<std::uint16_t>(in, count, scale, out, float_from_bf16);
    case DType::kFp8E5m2:
      return decode_each<std::uint8_t>(in, count, scale, out, float_from_e5m2);
    default:
      return decode_each<std::uint8_t>(in, count, scale, out, float_from_e4m3);
  }
}

}  // namespace

std::uint8_t e4m3_from_float(float value) {
  const unsigned sign = std::signbit(value) ? 0x80u : 0u;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7fu);
  return static_cast<std::uint8_t>(sign | magnitude_bits(kE4m3, value));
}

float float_from_e4m3(std::uint8_t bits) {
  if ((bits & 0x7fu) == 0x7fu) return std::numeric_limits<float>::quiet_NaN();
  return with_sign(magnitude_of(kE4m3, bits & 0x7fu), (bits & 0x80u) != 0);
}

std::uint8_t e5m2_from_float(float value) {
  const unsigned sign = std::signbit(value) ? 0x80u : 0u;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7fu);
  return static_cast<std::uint8_t>(sign | magnitude_bits(kE5m2, value));
}

float float_from_e5m2(std::uint8_t bits) {
  const bool negative = (bits & 0x80u) != 0;
  if ((bits & 0x7fu) == 0x7cu) return with_sign(std::numeric_limits<float>::infinity(), negative);
  if ((bits & 0x7fu) > 0x7cu) return std::numeric_limits<float>::quiet_NaN();
  return with_sign(magnitude_of(kE5m2, bits & 0x7fu), negative);
}

std::uint8_t e2m1_from_float(float value) {
  const unsigned sign = std::signbit(value) ? 8u : 0u;
  const float number = std::isnan(value) ? kE2m1.largest : value;
  return static_cast<std::uint8_t>(sign | magnitude_bits(kE2m1, number));
}

float float_from_e2m1(std::uint8_t bits) {
  return with_sign(magnitude_of(kE2m1, bits & 7u), (bits & 8u) != 0);
}

float float_from_e8m0(std::uint8_t bits) {
  if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, static_cast<int>(bits) - 127);
}

void encode_row(DType dtype, const float* in, std::int64_t count, float scale, std::byte* out) {
  const std::int64_t block = block_of(dtype);
  if (block == 1) return encode_plain(dtype, in, count, scale, out);
  for (std::int64_t i = 0; i < count; i += block) {
    encode_block(dtype, in + i, std::min(block, count - i), scale, out + bytes_of(dtype, i));
  }
}

void decode_row(DType dtype, const std::byte* in, std::int64_t count, float scale, float* out) {
  const std::int64_t block = block_of(dtype);
  if (block == 1) return decode_plain(dtype, in, count, scale, out);
  for (std::int64_t i = 0; i < count; i += block) {
    decode_block(dtype, in + bytes_of(dtype, i), std::min(block, count - i), scale, out + i);
  }
}

float rounded_to(DType dtype, float value) {
  std::byte stored[4];
  float result = 0;
  encode_plain(dtype, &value, 1, 1, stored);
  decode_plain(dtype, stored, 1, 1, &result);
  return result;
}

float tensor_scale(DType dtype, float largest) {
  if (largest <= 0) return 1.0f;
  switch (dtype) {
    case DType::kFp8:
      return largest / kE4m3.largest;
    case DType::kFp8E5m2:
      return largest / kE5m2.largest;
    case DType::kNvFp4:  // so that the largest block scale is E4M3's largest
      return largest / (kE2m1.largest * kE4m3.largest);
    default:
      return 1.0f;
  }
}

}  // namespace ridgepoint::core
