// SPDX-License-Identifier: Apache-2.0
// The narrow formats against the tables of their documents: OCP 8-bit floating point v1.0 (tables 1
// and 2) and OCP microscaling formats v1.0; and rows with scales against the plain definition.
#include "sim/core/narrow_formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "sim/core/random.hpp"

namespace ridgepoint::core {
namespace {

TEST(E4m3, ThePatternsOfTheDocument) {
  EXPECT_EQ(float_from_e4m3(0b0'1111'110), 448.0f);            // largest
  EXPECT_EQ(float_from_e4m3(0b0'0001'000), 0x1p-6f);           // smallest normal
  EXPECT_EQ(float_from_e4m3(0b0'0000'111), 0.875f * 0x1p-6f);  // largest subnormal
  EXPECT_EQ(float_from_e4m3(0b0'0000'001), 0x1p-9f);           // smallest subnormal
  EXPECT_EQ(float_from_e4m3(0b1'0000'000), 0.0f);
  EXPECT_TRUE(std::isnan(float_from_e4m3(0b0'1111'111)));
  EXPECT_TRUE(std::isnan(float_from_e4m3(0b1'1111'111)));
  EXPECT_EQ(float_from_e4m3(0b0'1111'000), 256.0f);  // the top exponent holds numbers
}

TEST(E5m2, ThePatternsOfTheDocument) {
  EXPECT_EQ(float_from_e5m2(0b0'11110'11), 57344.0f);
  EXPECT_EQ(float_from_e5m2(0b0'00001'00), 0x1p-14f);
  EXPECT_EQ(float_from_e5m2(0b0'00000'11), 0.75f * 0x1p-14f);
  EXPECT_EQ(float_from_e5m2(0b0'00000'01), 0x1p-16f);
  EXPECT_EQ(float_from_e5m2(0b0'11111'00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(float_from_e5m2(0b1'11111'00), -std::numeric_limits<float>::infinity());
  for (const int nan : {0b0'11111'01, 0b0'11111'10, 0b0'11111'11}) {
    EXPECT_TRUE(std::isnan(float_from_e5m2(static_cast<std::uint8_t>(nan))));
  }
}

TEST(E2m1, AllSixteenPatterns) {
  const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (std::uint8_t bits = 0; bits < 8; ++bits) {
    EXPECT_EQ(float_from_e2m1(bits), values[bits]);
    EXPECT_EQ(float_from_e2m1(bits | 8u), -values[bits]);
    EXPECT_EQ(e2m1_from_float(values[bits]), bits);
  }
  EXPECT_EQ(e2m1_from_float(2.5f), 4);   // halfway between 2 and 3: to the even pattern
  EXPECT_EQ(e2m1_from_float(3.5f), 6);   // halfway between 3 and 4
  EXPECT_EQ(e2m1_from_float(5.0f), 6);   // halfway between 4 and 6
  EXPECT_EQ(e2m1_from_float(0.25f), 0);  // halfway between 0 and 0.5
  EXPECT_EQ(e2m1_from_float(-100.0f), 15);
}

TEST(E8m0, PowersOfTwo) {
  EXPECT_EQ(float_from_e8m0(127), 1.0f);
  EXPECT_EQ(float_from_e8m0(0), 0x1p-127f);
  EXPECT_EQ(float_from_e8m0(254), 0x1p127f);
  EXPECT_TRUE(std::isnan(float_from_e8m0(255)));
}

// Every finite pattern is a fixed point, and a number between two goes to the nearer one, or from
// the middle to the even pattern.
template <typename From, typename To>
void expect_nearest_even(From from, To to, std::uint8_t largest) {
  for (std::uint8_t bits = 0; bits < largest; ++bits) {
    const float low = from(bits), high = from(static_cast<std::uint8_t>(bits + 1));
    ASSERT_EQ(to(low), bits);
    ASSERT_EQ(to(-low), bits | 0x80u);
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(to(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(to(std::nextafter(middle, low)), bits);
    ASSERT_EQ(to(std::nextafter(middle, high)), bits + 1);
  }
  ASSERT_EQ(to(from(largest) * 4), largest);
  ASSERT_EQ(to(std::numeric_limits<float>::infinity()), largest);
  ASSERT_TRUE(std::isnan(from(to(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Fp8, NearestEvenAndSaturating) {
  expect_nearest_even(float_from_e4m3, e4m3_from_float, 0x7e);
  expect_nearest_even(float_from_e5m2, e5m2_from_float, 0x7b);
}

std::vector<float> seeded(std::size_t count, float width) {
  SplitMix64 random(7);
  std::vector<float> values(count);
  for (float& value : values) value = random.symmetric() * width;
  return values;
}

std::vector<float> round_trip(DType dtype, const std::vector<float>& in, float scale) {
  const auto count = static_cast<std::int64_t>(in.size());
  std::vector<std::byte> stored(static_cast<std::size_t>(bytes_of(dtype, count)));
  std::vector<float> out(in.size());
  encode_row(dtype, in.data(), count, scale, stored.data());
  decode_row(dtype, stored.data(), count, scale, out.data());
  return out;
}

// One block by the definition: v to the nearest of step * levels.
std::vector<float> by_definition(const std::vector<float>& in, std::int64_t block,
                                 const std::vector<float>& levels, float (*step_of)(float)) {
  std::vector<float> out(in.size());
  for (std::size_t at = 0; at < in.size(); at += static_cast<std::size_t>(block)) {
    const std::size_t end = std::min(in.size(), at + static_cast<std::size_t>(block));
    float largest = 0;
    for (std::size_t i = at; i < end; ++i) largest = std::max(largest, std::fabs(in[i]));
    const float step = step_of(largest);
    for (std::size_t i = at; i < end; ++i) {
      float best = levels[0];
      for (const float level : levels) {
        if (std::fabs(in[i] / step - level) < std::fabs(in[i] / step - best)) best = level;
      }
      out[i] = best * step;
    }
  }
  return out;
}

std::vector<float> whole_levels(int most) {
  std::vector<float> levels;
  for (int i = -most; i <= most; ++i) levels.push_back(static_cast<float>(i));
  return levels;
}

std::vector<float> e2m1_levels() {
  std::vector<float> levels;
  for (std::uint8_t bits = 0; bits < 16; ++bits) levels.push_back(float_from_e2m1(bits));
  return levels;
}

float half_step(float largest, float most) {
  return float_from_fp16(fp16_from_float(largest / most));
}

TEST(Blocks, RowsAreTheNearestLevelTimesTheBlocksScale) {
  for (const std::size_t count : {32u, 64u, 80u, 7u}) {  // also a last block that is not full
    const std::vector<float> in = seeded(count, 3.0f);
    struct Case {
      DType dtype;
      std::int64_t block;
      std::vector<float> levels;
      float (*step)(float);
    };
    const Case cases[] = {
        {DType::kInt8, 32, whole_levels(127), [](float v) { return half_step(v, 127); }},
        {DType::kInt4, 32, whole_levels(7), [](float v) { return half_step(v, 7); }},
        {DType::kMxFp4, 32, e2m1_levels(),
         [](float v) { return std::ldexp(1.0f, std::ilogb(v) - 2); }},
        {DType::kNvFp4, 16, e2m1_levels(),
         [](float v) { return float_from_e4m3(e4m3_from_float(v / 6)); }},
    };
    for (const Case& c : cases) {
      const std::vector<float> is = round_trip(c.dtype, in, 1);
      const std::vector<float> should = by_definition(in, c.block, c.levels, c.step);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_FLOAT_EQ(is[i], should[i]) << name_of(c.dtype) << ' ' << i;
      }
    }
  }
}

TEST(Blocks, ExactBytesOfAnMxFp4Block) {
  std::vector<float> in(32, 0.0f);
  in[0] = 6.0f * 0.25f;  // largest 1.5: scale 2^(0 - 2)
  in[1] = -0.5f * 0.25f;
  in[31] = 1.0f * 0.25f;
  std::byte stored[17];
  encode_row(DType::kMxFp4, in.data(), 32, 1, stored);
  EXPECT_EQ(std::to_integer<int>(stored[0]), 127 - 2);
  EXPECT_EQ(std::to_integer<int>(stored[1]), 0x97);   // 6 low, -0.5 high
  EXPECT_EQ(std::to_integer<int>(stored[16]), 0x20);  // 1 high
}

TEST(Blocks, AZeroBlockIsZero) {
  const std::vector<float> zeros(40, 0.0f);
  for (const DType dtype : {DType::kInt8, DType::kInt4, DType::kMxFp4, DType::kNvFp4}) {
    EXPECT_EQ(round_trip(dtype, zeros, 1), zeros);
  }
}

// With the tensor's scale small numbers keep fp8's relative precision: half a unit in the last
// place, 2^-4 for E4M3 and 2^-3 for E5M2, down to the subnormals.
TEST(Fp8, TheTensorsScaleUsesTheRange) {
  const std::vector<float> in = seeded(256, 0.01f);
  for (const auto& [dtype, bound] : {std::pair{DType::kFp8, 0x1p-4}, {DType::kFp8E5m2, 0x1p-3}}) {
    const std::vector<float> out = round_trip(dtype, in, tensor_scale(dtype, 0.01f));
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_NEAR(out[i], in[i], std::fabs(in[i]) * bound + 1e-7);
    }
  }
  EXPECT_EQ(tensor_scale(DType::kFp16, 3.0f), 1.0f);
}

}  // namespace
}  // namespace ridgepoint::core
