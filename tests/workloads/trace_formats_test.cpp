// SPDX-License-Identifier: Apache-2.0
// Good traces of every format, ranges and scaling, what `info` counts, and the real files where
// they are present.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/traces/formats.hpp"
#include "workloads/traces/generator.hpp"
#include "workloads/traces/info.hpp"
#include "workloads/traces/open.hpp"
#include "workloads/traces/transform.hpp"

namespace ridgepoint::workloads {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<TraceSource> open_text(const std::string& text) {
  return open_trace_lines(core::TextLines::from_text("t", text));
}

std::vector<TraceRequest> read_all(TraceSource& source) {
  std::vector<TraceRequest> all;
  TraceRequest request;
  while (source.next(request)) all.push_back(request);
  return all;
}

std::vector<TraceRequest> read_text(const std::string& text) { return read_all(*open_text(text)); }

TEST(TraceFormats, Azure2023KeepsHundredNanoseconds) {
  const auto all = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
      "2023-11-16 18:15:46.6805900,374,44\r\n"
      "2023-11-16 18:15:50.9951691,396,109");  // no last line end
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].arrival, 0);
  EXPECT_EQ(all[1].arrival, 4'314'579'100);
  EXPECT_EQ(all[1].prompt_tokens, 396);
  EXPECT_EQ(all[1].output_tokens, 109);
  EXPECT_EQ(all[1].line, 3u);
}

TEST(TraceFormats, Azure2024OffsetsAndMissingFractions) {
  const auto all = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-05-10 00:00:00.009930+00:00,1,2\n"
      "2024-05-10 00:00:01+00:00,3,4\n"
      "2024-05-10T01:00:02.5+01:00,5,6\n"
      "2024-05-10 00:00:03Z,7,8\n");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].arrival, 990'070'000);
  EXPECT_EQ(all[2].arrival, 2'490'070'000);
  EXPECT_EQ(all[3].arrival, 2'990'070'000);
}

TEST(TraceFormats, BurstGptInEitherColumnOrderCountsFailures) {
  const auto source = open_text(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,"
      "Log Type\n"
      "5,,1.2,ChatGPT,472,18,490,Conversation log\n"
      "45.5,a,0,GPT-4,1087,0,1087,API log\n"
      "118,b,2,ChatGPT,417,276,693,Conversation log\n");
  const auto all = read_all(*source);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(source->problems().failed_requests, 1u);
  EXPECT_EQ(all[1].arrival, 113 * kNsPerSecond);
  EXPECT_EQ(read_text("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                      "5,ChatGPT,472,18,490,Conversation log\n")[0]
                .prompt_tokens,
            472);
}

TEST(TraceFormats, MooncakeMillisecondsAndIds) {
  const auto all = read_text(
      R"({"timestamp": 3000, "input_length": 600, "output_length": 6, "hash_ids": [0, 46]})"
      "\n"
      R"({"timestamp": 3027.5, "input_length": 512, "output_length": 1, "hash_ids": [0]})"
      "\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].arrival, 27'500'000);
  EXPECT_THAT(all[0].block_ids, ElementsAre(0u, 46u));
  EXPECT_EQ(all[0].block_tokens, 512);
}

TEST(TraceFormats, BailianSecondsAndSixteenTokenIds) {
  const auto all = read_text(
      R"({"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 20,)"
      R"( "output_length": 350, "type": "text", "turn": 1, "hash_ids": [1089, 18446744073709551615]})"
      "\n"
      R"({"chat_id": 160, "parent_chat_id": 159, "timestamp": 61.115, "input_length": 16,)"
      R"( "output_length": 3, "type": {"deep": [1, 2]}, "turn": 2, "hash_ids": [1089]})"
      "\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].arrival, 1'000'000);
  EXPECT_EQ(all[0].block_tokens, 16);
  EXPECT_EQ(all[0].block_ids[1], 18446744073709551615u);
}

TEST(TraceFormats, VidurDecimalSecondsAreExactToTheNanosecond) {
  const auto all = read_text(
      "num_prefill_tokens,arrived_at,num_decode_tokens,extra\n"
      "7,0,8,x\n"
      "7,0.1,8,x\n"
      "7,1.5e0,8,x\n"
      "7,100000.123456789,8,x\n"
      "7,100000.1234567895,8,x\n");
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[1].arrival, 100'000'000);
  EXPECT_EQ(all[2].arrival, 1'500'000'000);
  EXPECT_EQ(all[3].arrival, 100'000'123'456'789);
  EXPECT_EQ(all[4].arrival, 100'000'123'456'790);  // half up
}

TEST(TraceTransform, RangesAndRates) {
  const std::string text =
      "arrived_at,num_prefill_tokens,num_decode_tokens\n1,1,1\n2,2,1\n4,3,1\n8,4,1\n";
  const auto part = [&](const TraceRange& range) {
    std::vector<std::int64_t> prompts;
    for (const auto& request : read_all(*trace_range(open_text(text), range))) {
      prompts.push_back(request.prompt_tokens);
    }
    return prompts;
  };
  EXPECT_THAT(part({.skip = 1}), ElementsAre(2, 3, 4));
  EXPECT_THAT(part({.count = 2}), ElementsAre(1, 2));
  EXPECT_THAT(part({.skip = 1, .count = 2}), ElementsAre(2, 3));
  // Arrivals are 0, 1, 3, 7 s; [1, 7) holds two.
  EXPECT_THAT(part({.from = kNsPerSecond, .until = 7 * kNsPerSecond}), ElementsAre(2, 3));
  EXPECT_THROW(part({.skip = 4}), core::InputError);

  EXPECT_DOUBLE_EQ(mean_rate(*open_text(text)), 3.0 / 7);
  const auto faster = read_all(*scale_time(open_text(text), 0.5));
  EXPECT_EQ(faster[3].arrival, 3'500'000'000);
  EXPECT_THROW(scale_time(open_text(text), 0), core::InputError);
  EXPECT_THROW(mean_rate(*open_text("arrived_at,num_prefill_tokens,num_decode_tokens\n1,1,1\n")),
               core::InputError);
}

TEST(TraceInfo, CountsPercentilesAndSharing) {
  const auto source = open_text(
      R"({"timestamp": 0, "input_length": 1024, "output_length": 10, "hash_ids": [1, 2]})"
      "\n"
      R"({"timestamp": 500, "input_length": 1536, "output_length": 30, "hash_ids": [1, 9, 2]})"
      "\n"
      R"({"timestamp": 2000, "input_length": 512, "output_length": 20, "hash_ids": [1]})"
      "\n");
  const TraceInfo info = analyse_trace(*source);
  EXPECT_EQ(info.requests, 3u);
  EXPECT_EQ(info.span, 2 * kNsPerSecond);
  EXPECT_DOUBLE_EQ(info.requests_per_s(), 1.0);
  EXPECT_EQ(info.prompt_tokens.percentile(50), 1024);
  EXPECT_EQ(info.output_tokens.largest(), 30);
  // Of 6 blocks, two find 1 in front; the last 2 stands behind another block.
  EXPECT_EQ(info.blocks, 6u);
  EXPECT_EQ(info.shared_blocks, 2u);
}

struct RealFile {
  const char* name;
  std::uint64_t requests;
  double span_s;
  std::int64_t prompt_p50, prompt_p99, prompt_max;
  std::int64_t output_p50, output_p99, output_max;
  double prompt_sum, output_sum, tolerance;
};

// Counted independently from the same files.
constexpr RealFile kRealFiles[] = {{"AzureLLMInferenceTrace_conv.csv", 19366, 3502, 1020, 4142,
                                    14050, 129, 601, 1000, 22361870, 4088665, 0},
                                   {"AzureLLMInferenceTrace_code.csv", 8819, 3436, 1469, 7436, 7437,
                                    13, 252, 1899, 18059974, 245896, 0},
                                   {"mooncake_synthetic_trace.jsonl", 3993, 1022, 11600, 66000,
                                    191000, 69, 768, 893, 61.2e6, 0.595e6, 0.01}};

TEST(RealTraces, CountsAreThePublishedOnes) {
  for (const RealFile& file : kRealFiles) {
    const std::string name = std::string("traces/") + file.name;
    RIDGEPOINT_NEED_SHARED(name);
    const std::string path = testing_files::shared_file(name);
    SCOPED_TRACE(file.name);
    const TraceInfo info = analyse_trace(*open_trace(path));
    EXPECT_EQ(info.requests, file.requests);
    EXPECT_NEAR(static_cast<double>(info.span) / 1e9, file.span_s, 1);
    const auto near = [&](double measured, double expected) {
      EXPECT_NEAR(measured, expected, std::max(1.0, file.tolerance * expected));
    };
    near(static_cast<double>(info.prompt_tokens.percentile(50)), file.prompt_p50);
    near(static_cast<double>(info.prompt_tokens.percentile(99)), file.prompt_p99);
    near(static_cast<double>(info.prompt_tokens.largest()), file.prompt_max);
    near(static_cast<double>(info.output_tokens.percentile(50)), file.output_p50);
    near(static_cast<double>(info.output_tokens.percentile(99)), file.output_p99);
    near(static_cast<double>(info.output_tokens.largest()), file.output_max);
    near(info.prompt_sum, file.prompt_sum);
    near(info.output_sum, file.output_sum);
    EXPECT_EQ(info.problems.skipped_rows, 0u);
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
