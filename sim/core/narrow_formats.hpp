// SPDX-License-Identifier: Apache-2.0
// Values in every stored format, row by row, and the bit patterns of the narrow ones: E4M3 and E5M2
// (OCP 8-bit floating point v1.0), E2M1 and E8M0 (OCP microscaling formats v1.0).
// All conversions round to nearest even and saturate: finite values beyond the largest go to it,
// because a scale is chosen so that they do not occur.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/dtype.hpp"

namespace ridgepoint::core {

// E4M3: bias 7, largest 448, no infinities, NaN is S.1111.111. E5M2: bias 15, largest 57344,
// infinities and NaN as in IEEE 754. NaN stays NaN; infinity saturates like a large value.
std::uint8_t e4m3_from_float(float value);
float float_from_e4m3(std::uint8_t bits);
std::uint8_t e5m2_from_float(float value);
float float_from_e5m2(std::uint8_t bits);
// E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, in the low four bits. NaN gives 6.
std::uint8_t e2m1_from_float(float value);
float float_from_e2m1(std::uint8_t bits);
// E8M0: 2^(bits - 127); 255 is NaN.
float float_from_e8m0(std::uint8_t bits);

// A row of `count` elements, stored = value / scale, in bytes_of(dtype, count) bytes: block after
// block, each its scale (little endian) and then its elements, the low nibble first.
//   int8  scale = fp16(largest / 127), elements -127..127      int4  fp16(largest / 7), -7..7
//   mxfp4 scale = 2^(floor(log2 largest) - 2)                  nvfp4 scale = e4m3(largest / 6)
void encode_row(DType dtype, const float* in, std::int64_t count, float scale, std::byte* out);
void decode_row(DType dtype, const std::byte* in, std::int64_t count, float scale, float* out);

// What storing and loading makes of a value in a format without blocks.
float rounded_to(DType dtype, float value);

// The tensor's scale that uses the range of fp8 and nvfp4 for values up to `largest`; 1 for others.
float tensor_scale(DType dtype, float largest);

}  // namespace ridgepoint::core
