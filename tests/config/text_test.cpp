// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sim/config/number.hpp"
#include "sim/config/sha256.hpp"
#include "sim/config/suggest.hpp"

namespace ridgepoint::config {
namespace {

// The examples NIST publishes with FIPS 180-4.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Lengths around the block edge, where padding adds a block.
TEST(Sha256, DistinguishesLengthsAroundABlock) {
  std::vector<std::string> digests;
  for (std::size_t length = 54; length <= 66; ++length) {
    digests.push_back(sha256_hex(std::string(length, 'x')));
    for (std::size_t i = 0; i + 1 < digests.size(); ++i) EXPECT_NE(digests[i], digests.back());
  }
}

TEST(Number, IntegersMatchInFull) {
  std::string why;
  EXPECT_EQ(parse_integer("0", why), 0);
  EXPECT_EQ(parse_integer("-9223372036854775808", why), std::numeric_limits<std::int64_t>::min());
  for (const char* bad : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "1,000", "one", "--1"}) {
    EXPECT_EQ(parse_integer(bad, why), std::nullopt) << bad;
    EXPECT_EQ(why, "is not an integer") << bad;
  }
  EXPECT_EQ(parse_integer("9223372036854775808", why), std::nullopt);
  EXPECT_EQ(why, "does not fit in 64 bits");
}

TEST(Number, RealsAreFiniteAndMatchInFull) {
  std::string why;
  EXPECT_EQ(parse_real("5.2", why), 5.2);
  EXPECT_EQ(parse_real("-1e-3", why), -1e-3);
  for (const char* bad : {"", "1,5", "1.5 ", " 1.5", "0x1p3", "1e", "1.5GHz"}) {
    EXPECT_EQ(parse_real(bad, why), std::nullopt) << bad;
    EXPECT_EQ(why, "is not a number") << bad;
  }
  for (const char* bad : {"nan", "inf", "-inf", "infinity"}) {
    EXPECT_EQ(parse_real(bad, why), std::nullopt) << bad;
    EXPECT_EQ(why, "is not a finite number") << bad;
  }
  EXPECT_EQ(parse_real("1e400", why), std::nullopt);
  EXPECT_EQ(why, "is outside the range of a double");
}

TEST(Number, PrintedRealsReadBackAsTheSameDouble) {
  std::string why;
  std::uint64_t state = 42;
  for (int i = 0; i < 10'000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double value = static_cast<double>(state >> 11) * 0x1p-40;
    EXPECT_EQ(parse_real(format_real(value), why), value);
  }
  EXPECT_EQ(format_real(0.1), "0.1");
  EXPECT_EQ(format_real(3.328), "3.328");
}

TEST(Suggest, FindsTheNearestNameOrNone) {
  const std::vector<std::string> names{"--batch", "--context", "--machine"};
  EXPECT_EQ(nearest_name("--bacth", names), "--batch");
  EXPECT_EQ(nearest_name("--machin", names), "--machine");
  EXPECT_EQ(nearest_name("--frequency", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(with_suggestion("is unknown", "--contxt", names),
            "is unknown (did you mean '--context'?)");
  EXPECT_EQ(with_suggestion("is unknown", "zzz", names), "is unknown");
}

}  // namespace
}  // namespace ridgepoint::config
