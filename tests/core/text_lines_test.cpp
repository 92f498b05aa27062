// SPDX-License-Identifier: Apache-2.0
#include "sim/core/text_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgepoint::core {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& text) {
  try {
    CsvCells rows(TextLines::from_text("f.csv", text));
    std::vector<CsvCell> cells;
    while (rows.next(cells)) {
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TextLines, LineEndsMarkAndMissingLastEnd) {
  TextLines lines = TextLines::from_text("t",
                                         "\xEF\xBB\xBF"
                                         "a\r\n\nb");
  std::string_view line;
  ASSERT_TRUE(lines.peek(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(lines.line_number(), 0u);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(lines.line_number(), 1u);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(lines.line_number(), 3u);
  EXPECT_FALSE(lines.next(line));
}

TEST(TextLines, NulIsAnErrorWithItsPlace) {
  const std::string text("a,b\n1,2\n3,\0004\n", 14);
  EXPECT_THAT(message_of(text), HasSubstr("f.csv:3:3: NUL byte"));
}

TEST(TextLines, MissingFileAndDirectory) {
  EXPECT_THROW(TextLines("/nonexistent/file"), InputError);
  EXPECT_THROW(TextLines("/"), InputError);
}

TEST(CsvCells, QuotesCommasAndColumns) {
  CsvCells rows(TextLines::from_text("f", "a,b\n\"x,\"\"y\"\"\",2\n,\n"));
  EXPECT_EQ(rows.find("b"), 1);
  EXPECT_EQ(rows.find("c"), -1);
  std::vector<CsvCell> cells;
  ASSERT_TRUE(rows.next(cells));
  EXPECT_EQ(cells[0].text, "x,\"y\"");
  EXPECT_EQ(cells[1].text, "2");
  EXPECT_EQ(cells[1].column, 11u);
  ASSERT_TRUE(rows.next(cells));  // blank cells stay blank
  EXPECT_EQ(cells[0].text, "");
  EXPECT_EQ(cells[1].text, "");
  EXPECT_FALSE(rows.next(cells));
}

TEST(CsvCells, BrokenRowsNameTheirPlace) {
  EXPECT_THAT(message_of(""), HasSubstr("f.csv: empty file"));
  EXPECT_THAT(message_of("a,a\n"), HasSubstr("f.csv:1:3: 'a': column appears twice"));
  EXPECT_THAT(message_of("a,\n"), HasSubstr("f.csv:1:3: column without a name"));
  EXPECT_THAT(message_of("a,b\n1\n"), HasSubstr("f.csv:2:2: row has 1 cells"));
  EXPECT_THAT(message_of("a,b\n1,2,3\n"), HasSubstr("f.csv:2:5: row has 3 cells"));
  EXPECT_THAT(message_of("a,b\n\n"), HasSubstr("f.csv:2:1: blank line"));
  EXPECT_THAT(message_of("a,b\n1,\"2\n"), HasSubstr("f.csv:2:3: unclosed quote"));
  EXPECT_THAT(message_of("a,b\n\"1\"x,2\n"), HasSubstr("f.csv:2:4: text after a closing quote"));
}

}  // namespace
}  // namespace ridgepoint::core
