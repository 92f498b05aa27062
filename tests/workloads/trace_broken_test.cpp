// SPDX-License-Identifier: Apache-2.0
// A catalogue of broken trace files: every one is refused with file, line and column, or counted as
// skipped where the caller asks for it. Nothing is cut, clipped or read as zero.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "workloads/traces/open.hpp"

namespace ridgepoint::workloads {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Broken {
  std::string name;
  std::string text;
  std::string where;  // "t:line:column" or "t" in front of the message
  std::string what;   // part of the message
  bool skippable = true;
};

const std::string kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string kGood = "2023-11-16 18:17:03.9799600,10,5\n";
const std::string kVidur = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
const std::string kBurst = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";

std::string mooncake(const std::string& time, const std::string& in, const std::string& out,
                     const std::string& ids) {
  return R"({"timestamp": )" + time + R"(, "input_length": )" + in + R"(, "output_length": )" +
         out + R"(, "hash_ids": )" + ids + "}\n";
}

std::string with_nul(const std::string& front, const std::string& back) {
  return front + std::string(1, '\0') + back;
}

const std::vector<Broken>& catalogue() {
  static const std::vector<Broken> all{
      // Files as a whole.
      {"empty_file", "", "t: ", "empty trace", false},
      {"only_a_line_end", "\n", "t:1:1: ", "not a known trace header", false},
      {"only_a_header", kAzure, "t: ", "without a usable row", false},
      {"only_a_byte_order_mark", "\xEF\xBB\xBF", "t: ", "empty trace", false},
      {"unknown_header", "time,in,out\n1,2,3\n", "t:1:1: ", "not a known trace header", false},
      {"missing_column", "TIMESTAMP,ContextTokens\n" + kGood, "t:1:1: ", "not a known trace header",
       false},
      {"header_in_other_case", "timestamp,contexttokens,generatedtokens\n" + kGood,
       "t:1:1: ", "not a known trace header", false},
      {"duplicate_column", "TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n",
       "t:1:41: ", "column appears twice", false},
      {"column_without_name", "TIMESTAMP,,ContextTokens,GeneratedTokens\n",
       "t:1:11: ", "column without a name", false},
      {"no_header", kGood, "t:1:1: ", "not a known trace header", false},
      {"header_only_in_utf16", with_nul("\xFF\xFET", "I"), "t:1:4: ", "NUL byte", false},
      {"old_line_ends", "TIMESTAMP,ContextTokens,GeneratedTokens\r" + kGood,
       "t:1:1: ", "not a known trace header", false},
      {"text_of_another_kind", "<html><body>404</body></html>\n",
       "t:1:1: ", "not a known trace header", false},
      {"nul_in_a_cell", with_nul(kAzure + "2023-11-16 18:17:03,1", "0,5\n"), "t:2:22: ", "NUL byte",
       false},
      {"nul_after_the_last_row", with_nul(kAzure + kGood, ""), "t:3:1: ", "NUL byte", false},
      // Rows.
      {"repeated_header", kAzure + kGood + kAzure, "t:3:1: ", "not a date and time"},
      {"truncated_last_line", kAzure + kGood + "2023-11-16 18:17:04.01",
       "t:3:23: ", "row has 1 cells"},
      {"truncated_after_a_comma", kAzure + kGood + "2023-11-16 18:17:04,7,",
       "t:3:23: ", "blank cell"},
      {"too_many_cells", kAzure + "2023-11-16 18:17:03,10,5,9\n", "t:2:26: ", "row has 4 cells"},
      {"blank_line", kAzure + kGood + "\n" + kGood, "t:3:1: ", "blank line"},
      {"blank_line_with_carriage_return", kAzure + kGood + "\r\n" + kGood, "t:3:1: ", "blank line"},
      {"blank_cell", kAzure + "2023-11-16 18:17:03,,5\n", "t:2:21: ", "blank cell"},
      {"blank_time", kAzure + ",10,5\n", "t:2:1: ", "blank cell"},
      {"semicolons", kAzure + "2023-11-16 18:17:03;10;5\n", "t:2:25: ", "row has 1 cells"},
      {"unclosed_quote", kAzure + "\"2023-11-16 18:17:03,10,5\n", "t:2:1: ", "unclosed quote"},
      {"text_behind_a_quote", kAzure + "\"2023-11-16 18:17:03\"x,10,5\n",
       "t:2:22: ", "text after a closing quote"},
      {"mixed_line_ends", kAzure + "2023-11-16 18:17:03,10,5\r\r\n", "t:2:24: ", "not an integer"},
      // Lengths.
      {"negative_tokens", kAzure + "2023-11-16 18:17:03,-10,5\n", "t:2:21: ", "out of range"},
      {"zero_prompt", kAzure + "2023-11-16 18:17:03,0,5\n", "t:2:21: ", "out of range"},
      {"zero_output", kAzure + "2023-11-16 18:17:03,10,0\n", "t:2:24: ", "out of range"},
      {"huge_tokens", kAzure + "2023-11-16 18:17:03,99999999999999999999999,5\n",
       "t:2:21: ", "out of range"},
      {"beyond_the_accepted_tokens", kAzure + "2023-11-16 18:17:03,1000000001,5\n",
       "t:2:21: ", "out of range"},
      {"fraction_of_a_token", kAzure + "2023-11-16 18:17:03,10.5,5\n",
       "t:2:21: ", "not an integer"},
      {"exponent_in_tokens", kAzure + "2023-11-16 18:17:03,1e3,5\n", "t:2:21: ", "not an integer"},
      {"blank_in_front_of_tokens", kAzure + "2023-11-16 18:17:03, 10,5\n",
       "t:2:21: ", "not an integer"},
      {"plus_sign", kAzure + "2023-11-16 18:17:03,+10,5\n", "t:2:21: ", "not an integer"},
      {"hexadecimal", kAzure + "2023-11-16 18:17:03,0x10,5\n", "t:2:21: ", "not an integer"},
      {"nan_tokens", kAzure + "2023-11-16 18:17:03,nan,5\n", "t:2:21: ", "not an integer"},
      {"thousands_separator", kAzure + "2023-11-16 18:17:03,\"1,000\",5\n",
       "t:2:21: ", "not an integer"},
      // Times.
      {"out_of_order", kAzure + kGood + "2023-11-16 18:17:03.9799599,10,5\n",
       "t:3:1: ", "100 ns before"},
      {"impossible_day", kAzure + "2023-02-30 18:17:03,10,5\n", "t:2:1: ", "not a date and time"},
      {"impossible_hour", kAzure + "2023-11-16 24:17:03,10,5\n", "t:2:1: ", "not a date and time"},
      {"impossible_second", kAzure + "2023-11-16 18:17:60,10,5\n",
       "t:2:1: ", "not a date and time"},
      {"ten_digits_of_fraction", kAzure + "2023-11-16 18:17:03.1234567891,10,5\n",
       "t:2:1: ", "not a date and time"},
      {"point_without_fraction", kAzure + "2023-11-16 18:17:03.,10,5\n",
       "t:2:1: ", "not a date and time"},
      {"broken_offset", kAzure + "2023-11-16 18:17:03+0,10,5\n", "t:2:1: ", "not a date and time"},
      {"year_out_of_range", kAzure + "1969-11-16 18:17:03,10,5\n", "t:2:1: ", "out of range"},
      {"seconds_where_a_date_belongs", kAzure + "12.5,10,5\n", "t:2:1: ", "not a date and time"},
      {"negative_time", kVidur + "-1,10,5\n", "t:2:1: ", "out of range"},
      {"infinite_time", kVidur + "inf,10,5\n", "t:2:1: ", "not a decimal number"},
      {"nan_time", kVidur + "nan,10,5\n", "t:2:1: ", "not a decimal number"},
      {"overflowing_time", kVidur + "1e400,10,5\n", "t:2:1: ", "out of range"},
      {"time_beyond_292_years", kVidur + "1e10,10,5\n", "t:2:1: ", "out of range"},
      {"decimal_comma", kVidur + "\"1,5\",10,5\n", "t:2:1: ", "not a decimal number"},
      {"seconds_going_back", kVidur + "2,10,5\n1.999999999,10,5\n", "t:3:1: ", "1 ns before"},
      // BurstGPT: a failed request has zero response tokens, nothing else may be zero.
      {"zero_request_tokens", kBurst + "5,ChatGPT,0,7,7,Conversation log\n",
       "t:2:11: ", "out of range"},
      {"negative_response", kBurst + "5,ChatGPT,1,-7,7,Conversation log\n",
       "t:2:13: ", "out of range"},
      {"all_requests_failed", kBurst + "5,ChatGPT,4,,4,API log\n", "t:2:13: ", "blank cell"},
      // JSON lines.
      {"cut_json", mooncake("0", "10", "5", "[1]") + R"({"timestamp": 1, "input_le)",
       "t:2:27: ", "not valid JSON"},
      {"two_objects_on_a_line", R"({"timestamp": 1} {"timestamp": 2})",
       "t:1:18: ", "not valid JSON"},
      {"json_array", mooncake("0", "10", "5", "[1]") + "[1, 2]\n",
       "t:2:1: ", "the line is not an object"},
      {"json_number", mooncake("0", "10", "5", "[1]") + "17\n",
       "t:2:1: ", "the line is not an object"},
      {"json_blank_line", mooncake("0", "10", "5", "[1]") + "\n", "t:2:1: ", "blank line"},
      {"missing_key", R"({"timestamp": 1, "input_length": 5, "hash_ids": [1]})",
       "t:1:1: ", "key is missing"},
      {"repeated_key", R"({"timestamp": 1, "input_length": 5, "timestamp": 2})",
       "t:1:2: ", "key appears twice"},
      {"length_as_text", mooncake("0", "\"10\"", "5", "[1]"), "t:1:18: ", "not a number"},
      {"null_length", mooncake("0", "null", "5", "[1]"), "t:1:18: ", "not a number"},
      {"fraction_as_length", mooncake("0", "10.5", "5", "[1]"), "t:1:18: ", "not an integer"},
      {"huge_length", mooncake("0", "99999999999999999999", "5", "[1]"),
       "t:1:18: ", "not an integer"},
      {"zero_length", mooncake("0", "10", "0", "[1]"), "t:1:38: ", "out of range"},
      {"negative_json_time", mooncake("-3", "10", "5", "[1]"), "t:1:2: ", "out of range"},
      {"overflowing_json_number", mooncake("1e999", "10", "5", "[1]"), "t:1:", "not valid JSON"},
      {"ids_not_an_array", mooncake("0", "10", "5", "7"), "t:1:58: ", "not a block id"},
      {"negative_id", mooncake("0", "10", "5", "[-7]"), "t:1:58: ", "not a block id"},
      {"nested_ids", mooncake("0", "10", "5", "[[7]]"), "t:1:58: ", "not block ids"},
      {"too_few_ids", mooncake("0", "513", "5", "[7]"), "t:1:59: ", "1 ids for 513"},
      {"too_many_ids", mooncake("0", "512", "5", "[7, 8]"), "t:1:59: ", "2 ids for 512"},
      {"json_going_back", mooncake("3", "10", "5", "[1]") + mooncake("2", "10", "5", "[1]"),
       "t:2:2: ", "1000000 ns before"},
      {"broken_utf8", R"({"timestamp": 1, "name": ")" + std::string("\xC3\x28") + "\"}\n",
       "t:1:", "not valid JSON"},
  };
  return all;
}

std::uint64_t read_all(const std::string& text, bool skip, TraceProblems* problems = nullptr) {
  const auto source =
      open_trace_lines(core::TextLines::from_text("t", text), {.skip_bad_rows = skip});
  TraceRequest request;
  std::uint64_t count = 0;
  while (source->next(request)) ++count;
  if (problems != nullptr) *problems = source->problems();
  return count;
}

TEST(BrokenTraces, TheCatalogueIsLongEnough) { EXPECT_GE(catalogue().size(), 40u); }

TEST(BrokenTraces, EveryOneIsRefusedWithItsPlace) {
  for (const Broken& broken : catalogue()) {
    SCOPED_TRACE(broken.name);
    try {
      read_all(broken.text, false);
      ADD_FAILURE() << "was accepted";
    } catch (const core::InputError& error) {
      EXPECT_THAT(error.what(), StartsWith(broken.where));
      EXPECT_THAT(error.what(), HasSubstr(broken.what));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line only";
    }
  }
}

TEST(BrokenTraces, BadRowsAreSkippedAndCountedWhereAsked) {
  for (const Broken& broken : catalogue()) {
    SCOPED_TRACE(broken.name);
    if (!broken.skippable) {
      EXPECT_THROW(read_all(broken.text, true), core::InputError);
      continue;
    }
    // A good row behind it: the bad one is counted, with its message, and the good one is read.
    std::string text = broken.text;
    if (text.back() != '\n') text += '\n';
    if (text.front() == '{') {
      text += mooncake("9", "10", "5", "[1]");
    } else if (text.starts_with(kAzure)) {
      text += "2024-01-01 00:00:00,10,5\n";
    } else if (text.starts_with(kVidur)) {
      text += "9,10,5\n";
    } else {
      text += "9,ChatGPT,10,5,15,API log\n";
    }
    TraceProblems problems;
    EXPECT_GE(read_all(text, true, &problems), 1u);
    EXPECT_EQ(problems.skipped_rows, 1u);
    EXPECT_THAT(problems.first_skipped, HasSubstr(broken.what));
  }
}

TEST(BrokenTraces, MissingFilesAndUnknownFormats) {
  EXPECT_THROW(open_trace("/nonexistent/trace.csv"), core::InputError);
  EXPECT_THROW(open_trace("/"), core::InputError);
  try {
    open_trace_lines(core::TextLines::from_text("t", kAzure), {.format = "azuer"});
    FAIL();
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("azure, burstgpt, mooncake, bailian, vidur"));
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
