// SPDX-License-Identifier: Apache-2.0
#include "sim/core/utf8.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"

namespace ridgepoint::core {
namespace {

TEST(Utf8, WellFormedSequencesAreToldFromOthers) {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xbc z"}) {
    EXPECT_TRUE(is_utf8(good)) << printable(good);
  }
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xff"}) {
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  }
}

TEST(Utf8, WhatATerminalCannotShowIsEscaped) {
  EXPECT_EQ(printable("a\n\x1b[31m\x7f"), "a\\x0a\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xc3\xbc\xff"), "\xc3\xbc\\xff");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control sequence's start in UTF-8";
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Utf8, LongValuesAreCutBetweenCharacters) {
  std::string value(79, 'a');
  value += "\xc3\xbc";
  EXPECT_EQ(describe({}, "", value, "w", ""), "value '" + value + "' w");
  EXPECT_EQ(describe({}, "", value + "bc", "w", ""), "value '" + value + "...' w");
}

}  // namespace
}  // namespace ridgepoint::core
