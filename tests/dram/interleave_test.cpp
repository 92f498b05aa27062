// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/interleave.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sim/core/error.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {
namespace {

const std::vector<int> kChannelCounts{1, 2, 3, 16, 40, 80, 96, 128};

TEST(Interleave, GlobalAndLocalAddressesAreOneToOne) {
  for (const int channels : kChannelCounts) {
    const Interleave interleave(channels, 256, true);
    for (std::uint64_t address = 0; address < 300'000; address += 64) {
      const Piece piece = interleave.locate(address);
      ASSERT_LT(piece.channel, channels);
      ASSERT_EQ(interleave.global(piece.channel, piece.address), address);
    }
  }
}

// The definition, granule by granule; pieces of one channel must join to one range.
std::map<int, Piece> split_by_definition(const Interleave& interleave, std::uint64_t address,
                                         std::uint64_t bytes) {
  std::map<int, Piece> pieces;
  for (std::uint64_t at = address; at < address + bytes;) {
    Piece piece = interleave.locate(at);
    piece.bytes = std::min(piece.bytes, address + bytes - at);
    at += piece.bytes;
    const auto [known, fresh] = pieces.try_emplace(piece.channel, piece);
    if (fresh) continue;
    EXPECT_EQ(known->second.address + known->second.bytes, piece.address);
    known->second.bytes += piece.bytes;
  }
  return pieces;
}

TEST(Interleave, ARangeIsOneRangePerChannel) {
  std::mt19937_64 random(7);
  std::vector<Piece> pieces;
  for (int trial = 0; trial < 4'000; ++trial) {
    const int channels = kChannelCounts[random() % kChannelCounts.size()];
    const Interleave interleave(channels, std::int64_t{64} << random() % 5, random() % 2 == 0);
    const std::uint64_t address = random() % (1U << 22);
    const std::uint64_t bytes = 1 + random() % (random() % 2 == 0 ? 3'000U : 150'000U);
    pieces.clear();
    interleave.split(address, bytes, pieces);
    const std::map<int, Piece> expected = split_by_definition(interleave, address, bytes);
    ASSERT_EQ(pieces.size(), expected.size());
    for (const Piece& piece : pieces) ASSERT_EQ(piece, expected.at(piece.channel));
  }
}

TEST(Interleave, StridesUseEveryChannelEvenlyForAnyNumberOfStacks) {
  for (const int channels : {16, 80, 96}) {
    const Interleave interleave(channels, 256, true);
    for (const std::uint64_t stride : {4096U, 8192U, 20480U, 65536U}) {
      std::vector<int> hits(static_cast<std::size_t>(channels));
      const int count = channels * 1000;
      for (int index = 0; index < count; ++index) {
        ++hits[static_cast<std::size_t>(
            interleave.locate(static_cast<std::uint64_t>(index) * stride).channel)];
      }
      for (const int hit : hits) EXPECT_NEAR(hit, 1000, 350) << channels << " " << stride;
    }
  }
}

// Five and six stacks: 80 and 96 channels, and no power of two.
TEST(Interleave, AStreamIsTheSameForEveryChannelOfFiveAndSixStacks) {
  for (const int channels : {80, 96}) {
    const Interleave interleave(channels, 256, true);
    std::vector<std::uint64_t> bytes(static_cast<std::size_t>(channels));
    const std::uint64_t stripes = 1000;
    std::vector<Piece> pieces;
    for (std::uint64_t at = 0; at < stripes * 256 * static_cast<std::uint64_t>(channels);
         at += 4096) {
      pieces.clear();
      interleave.split(at, 4096, pieces);
      for (const Piece& piece : pieces)
        bytes[static_cast<std::size_t>(piece.channel)] += piece.bytes;
    }
    for (const std::uint64_t count : bytes) EXPECT_EQ(count, stripes * 256) << channels;
  }
}

TEST(Interleave, WithoutTheHashAStrideOfAStripeCamps) {
  const Interleave interleave(16, 256, false);
  for (std::uint64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(interleave.locate(index * 4096).channel, 0);
  }
}

TEST(Interleave, NeedsAPowerOfTwoGranule) {
  EXPECT_THROW(Interleave(16, 200, true), core::InputError);
  EXPECT_THROW(Interleave(0, 256, true), core::InputError);
}

}  // namespace
}  // namespace ridgepoint::dram
