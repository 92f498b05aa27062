// SPDX-License-Identifier: Apache-2.0
#include "sim/core/dtype.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridgepoint::core {
namespace {

TEST(Fp16, EveryPatternRoundTrips) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_fp16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_fp16(fp16_from_float(value))));
    } else {
      ASSERT_EQ(fp16_from_float(value), half);
    }
  }
}

TEST(Fp16, MidpointsGoToEvenAndNeighboursToNearest) {
  for (std::uint32_t bits = 0; bits < 0x7bffu; ++bits) {
    const float low = float_from_fp16(static_cast<std::uint16_t>(bits));
    const float high = float_from_fp16(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    const std::uint32_t even = bits + (bits & 1u);
    ASSERT_EQ(fp16_from_float(middle), even);
    ASSERT_EQ(fp16_from_float(std::nextafterf(middle, low)), bits);
    ASSERT_EQ(fp16_from_float(std::nextafterf(middle, high)), bits + 1);
  }
}

TEST(Fp16, OverflowGoesToInfinity) {
  EXPECT_EQ(fp16_from_float(65519.996f), 0x7bffu);
  EXPECT_EQ(fp16_from_float(65520.0f), 0x7c00u);
  EXPECT_EQ(fp16_from_float(-std::numeric_limits<float>::infinity()), 0xfc00u);
}

TEST(Bf16, EveryPatternRoundTripsAndRoundsToEven) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const float value = float_from_bf16(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(bf16_from_float(value), bits);
    }
  }
  EXPECT_EQ(bf16_from_float(1.00390625f), 0x3f80u);  // halfway between 0x3f80 and 0x3f81
  EXPECT_EQ(bf16_from_float(1.01171875f), 0x3f82u);  // halfway between 0x3f81 and 0x3f82
}

TEST(DType, NamesAndSizes) {
  EXPECT_EQ(dtype_from_name("bf16"), DType::kBf16);
  EXPECT_FALSE(dtype_from_name("half").has_value());
  EXPECT_EQ(bytes_of(DType::kFp32, 3), 12);
  EXPECT_EQ(bytes_of(DType::kFp8, 3), 3);
  EXPECT_EQ(bytes_of(DType::kFp8E5m2, 64), 64);
  // Elements rounded up to a byte, and one scale per started block.
  EXPECT_EQ(bytes_of(DType::kInt4, 3), 2 + 2);
  EXPECT_EQ(bytes_of(DType::kInt8, 64), 64 + 2 * 2);
  EXPECT_EQ(bytes_of(DType::kInt4, 33), 17 + 2 * 2);
  EXPECT_EQ(bytes_of(DType::kMxFp4, 64), 32 + 2);
  EXPECT_EQ(bytes_of(DType::kNvFp4, 64), 32 + 4);
  EXPECT_DOUBLE_EQ(mean_bytes_of(DType::kMxFp4) * 8, 4.25);
  EXPECT_DOUBLE_EQ(mean_bytes_of(DType::kNvFp4) * 8, 4.5);
  EXPECT_DOUBLE_EQ(mean_bytes_of(DType::kInt8) * 8, 8.5);
}

}  // namespace
}  // namespace ridgepoint::core
