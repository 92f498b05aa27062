// SPDX-License-Identifier: Apache-2.0
// trace, serve and capacity as a user runs them: the known numbers, the same bytes twice, one-line
// errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/core/text_lines.hpp"
#include "tests/robustness/command_tables.hpp"
#include "tests/workloads/shared_files.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ServingCommands : public CommandTables {};

// Every step's bytes, by what they are used for, sum to the pool exactly.
void expect_parts_sum_to_pool(const std::string& steps, double pool_bytes) {
  core::TextLines lines = core::TextLines::from_text("steps", steps);
  std::string_view line;
  std::vector<core::CsvCell> names, cells;
  ASSERT_TRUE(lines.next(line));
  core::split_csv(line, {}, names);
  std::size_t rows = 0;
  for (; lines.next(line); ++rows) {
    core::split_csv(line, {}, cells);
    double sum = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i].text;
      if (name.starts_with("kv_") && name.ends_with("_bytes")) sum += std::stod(cells[i].text);
    }
    EXPECT_EQ(sum, pool_bytes) << rows;
  }
  EXPECT_GT(rows, 20u);
}

TEST_F(ServingCommands, ATraceIsMadeTwiceAlikeAndReadBack) {
  const std::vector<std::string> make{"trace", "make",   "--requests", "300",   "--rate",
                                      "50",    "--seed", "7",          "--csv", "a.csv"};
  ASSERT_EQ(run(make).exit_code, 0);
  std::vector<std::string> again = make;
  again.back() = "b.csv";
  ASSERT_EQ(run(again).exit_code, 0);
  EXPECT_EQ(slurp(folder() / "a.csv"), slurp(folder() / "b.csv"));
  const Outcome info = run({"trace", "info", "a.csv"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(cell(info.out, "requests_count"), "300");
  EXPECT_NEAR(number(info.out, "arrival_requests_per_s"), 50, 5 * 50 / 17.3);
  const Outcome part = run({"trace", "info", "a.csv", "--take-requests", "10", "--rate", "5"});
  EXPECT_EQ(cell(part.out, "requests_count"), "10");
  EXPECT_NEAR(number(part.out, "arrival_requests_per_s"), 5, 1e-6);
}

const char* const kTiny =
    "arrived_at,num_prefill_tokens,num_decode_tokens\n"
    "0,40,10\n0.0001,60,20\n0.0002,100,5\n0.0003,30,30\n0.0004,900,30\n";

TEST_F(ServingCommands, ServeATinyModelOnTheMachine) {
  file("t.csv", kTiny);
  const std::vector<std::string> serve{"serve", "--model",     "stories260K", "--trace",
                                       "t.csv", "--kv-blocks", "40",          "--requests-csv",
                                       "r.csv", "--steps-csv", "s.csv",       "--story"};
  const Outcome first = run(serve);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(cell(first.out, "requests_count"), "5");
  EXPECT_EQ(cell(first.out, "completed_count"), "4");
  EXPECT_EQ(cell(first.out, "rejected_longer_than_model_count"), "1");  // 930 tokens, 512 fit
  EXPECT_GT(number(first.out, "ttft_mean_ms"), 0);
  EXPECT_NEAR(number(first.out, "e2e_mean_ms"),
              number(first.out, "queue_mean_ms") + number(first.out, "prefill_mean_ms") +
                  number(first.out, "decode_mean_ms"),
              1e-9);
  EXPECT_THAT(first.err, HasSubstr("What this run shows"));
  const std::string requests = slurp(folder() / "r.csv");
  const std::string steps = slurp(folder() / "s.csv");
  expect_parts_sum_to_pool(
      steps, 40 * 16 * number(run({"plan", "--model", "stories260K"}).out, "kv_bytes_per_token"));
  EXPECT_EQ(std::count(requests.begin(), requests.end(), '\n'), 6);
  EXPECT_THAT(requests, HasSubstr("longer_than_model"));
  const Outcome second = run(serve);
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(slurp(folder() / "r.csv"), requests);
  EXPECT_EQ(slurp(folder() / "s.csv"), steps);
}

// Many cores and few KV heads: walks are measured on more sequences than steps ever hold.
TEST_F(ServingCommands, ServeATinyModelOnMachinesOfManyCores) {
  file("t.csv", kTiny);
  for (const char* machine : {"h100", "l40s"}) {
    const Outcome outcome = run(
        {"serve", "--model", "stories260K", "--trace", "t.csv", "--machine", machine, "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << machine << outcome.err;
    EXPECT_EQ(cell(outcome.out, "completed_count"), "4");
    EXPECT_LE(number(outcome.out, "grid_error_max_ratio"), 0.10);
  }
}

TEST_F(ServingCommands, ServeEveryStepExactly) {
  file("t.csv", kTiny);
  const Outcome exact =
      run({"serve", "--model", "stories260K", "--trace", "t.csv", "--kv-blocks", "40", "--exact"});
  ASSERT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_EQ(cell(exact.out, "completed_count"), "4");
  EXPECT_EQ(cell(exact.out, "machine_points_count"), "");  // no grid
}

TEST_F(ServingCommands, RealTextIsWhatEveryRequestGetsAlone) {
  file("p.txt", "the quick brown fox\nthe quick brown dog runs\nthe quick cat\na\n");
  const Outcome outcome =
      run({"serve", "--prompts", "p.txt", "--steps", "10", "--kv-blocks", "12", "--block-tokens",
           "4", "--max-batch-tokens", "16", "--check-alone", "--requests-csv", "r.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(cell(outcome.out, "model"), "toy-2x16");
  EXPECT_EQ(cell(outcome.out, "completed_count"), "4");
  EXPECT_GT(number(outcome.out, "preemptions_count"), 0);
  EXPECT_GT(number(outcome.out, "prefix_hit_tokens_count"), 0);
  EXPECT_THAT(outcome.err, HasSubstr("line 3: the quick cat |"));
  EXPECT_THAT(outcome.err, HasSubstr("4 of 4 requests got exactly the tokens they get alone"));
  const std::string requests = slurp(folder() / "r.csv");
  EXPECT_EQ(std::count(requests.begin(), requests.end(), '\n'), 5);
  EXPECT_THAT(requests, HasSubstr("same_alone"));
}

// Rows of a table as cells of one column, in order.
TEST_F(ServingCommands, CapacityEnclosesTheAnswerForEverythingItSeeks) {
  std::string trace = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (int i = 0; i < 60; ++i) trace += "0." + std::to_string(100 + i) + ",80,40\n";
  file("t.csv", trace);
  const auto seek = [&](const char* what, std::vector<std::string> more) {
    std::vector<std::string> arguments{"capacity", "--model",      "stories260K", "--trace",
                                       "t.csv",    "--step-cache", "times.txt",   "--seek",
                                       what,       "--csv",        "c.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("limited by: "));
    return outcome.err;
  };
  const std::string blocks = "2000";  // the machine's 80 GiB would be millions
  EXPECT_THAT(seek("rate", {"--slo-ttft-ms", "0.5", "--kv-blocks", blocks}),
              HasSubstr("highest arrival rate"));
  const std::string rates = slurp(folder() / "c.csv");
  EXPECT_THAT(rates, HasSubstr(",true,true,"));    // met, the answer
  EXPECT_THAT(rates, HasSubstr(",false,false,"));  // the nearest that misses
  EXPECT_THAT(
      seek("machines", {"--slo-tpot-ms", "0.2", "--good-share", "0.9", "--kv-blocks", blocks}),
      HasSubstr("fewest machines that meet the levels: "));
  EXPECT_THAT(
      seek("memory", {"--slo-e2e-ms", "40", "--machine.memory_gib", "1", "--overhead-gib", "0"}),
      HasSubstr("smallest memory that meets the levels: "));
  EXPECT_THAT(seek("rate", {"--slo-ttft-ms", "0.001", "--kv-blocks", blocks}),
              HasSubstr("no rate that was tried"));
}

TEST_F(ServingCommands, ASweepOfCapacityIsItsAnswers) {
  std::string trace = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (int i = 0; i < 60; ++i) trace += "0." + std::to_string(100 + i) + ",80,40\n";
  file("t.csv", trace);
  file("s.ini",
       "[sweep]\nof = capacity\n[base]\nmodel = stories260K\ntrace = t.csv\nkv_blocks = 40\n"
       "seek = machines\n[vary]\nslo_ttft_ms = 1,0.2\n");
  const Outcome outcome = run({"sweep", "s.ini"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(",true,true,"));
  // The same as alone, and it says what stops one machine less.
  const Outcome alone =
      run({"capacity", "--model", "stories260K", "--trace", "t.csv", "--seek", "machines",
           "--slo-ttft-ms", "0.2", "--kv-blocks", "40", "--answer-only"});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(std::count(alone.out.begin(), alone.out.end(), '\n'), 2);
  EXPECT_EQ(cell(alone.out, "answer"), "true");
  EXPECT_THAT(cell(alone.out, "limit"), HasSubstr("time to first token: "));
  EXPECT_THAT(alone.err, HasSubstr("tried 1 machine: "));
  EXPECT_THAT(outcome.out, HasSubstr("," + cell(alone.out, "machines_count") + ","));
}

TEST_F(ServingCommands, AFileOfKernelTimesChangesNothingButTheTime) {
  file("t.csv", kTiny);
  const std::vector<std::string> serve{"serve", "--model",     "stories260K", "--trace",
                                       "t.csv", "--kv-blocks", "40"};
  const Outcome without = run(serve);
  std::vector<std::string> with = serve;
  with.insert(with.end(), {"--step-cache", "times.txt"});
  const Outcome cold = run(with);
  ASSERT_EQ(cold.exit_code, 0) << cold.err;
  EXPECT_THAT(cold.err, HasSubstr("kernel times: 0 from the file, "));
  const Outcome warm = run(with);
  EXPECT_THAT(warm.err, HasSubstr("from the file, 0 simulated"));
  EXPECT_EQ(cold.out, without.out);
  EXPECT_EQ(warm.out, without.out);
  // Another pool, limits and scheduler, the same kernels.
  with.insert(with.end(), {"--kv-blocks", "60"});
  std::vector<std::string> other = with;
  other.erase(other.begin() + 5, other.begin() + 7);
  EXPECT_THAT(run(other).err, Not(HasSubstr("kernel times: 0 from")));
}

TEST_F(ServingCommands, BadInputIsOneLine) {
  file("two.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n1,1,1\n");
  file("bad.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,40,ten\n");
  file("p.txt", "hello\n");
  file("empty.txt", "");
  file("gap.txt", "hello\n\nyou\n");
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& one : std::vector<Case>{
           {{"trace"}, "trace info FILE, trace make"},
           {{"trace", "info"}, "trace info FILE, trace make"},
           {{"trace", "info", "bad.csv"}, "bad.csv:2:6: 'num_decode_tokens': value 'ten'"},
           {{"trace", "make", "--prompt-length", "big"}, "fixed:TOKENS or lognormal:MEAN:CV"},
           {{"trace", "make", "--trace-format", "burstgpt"}, "cannot be written"},
           {{"serve", "--trace", "missing.csv"}, "missing.csv: cannot be opened"},
           {{"serve", "--model", "stories260K", "--trace", "bad.csv"}, "bad.csv:2:6"},
           {{"serve", "--scheduler", "v2"}, "v1, v0, static"},
           {{"serve", "--model", "stories260K", "--max-model-len", "513"}, "at most 512"},
           {{"serve", "--model", "llama-3.1-405b"}, "leave no room for cache"},
           {{"serve", "--prompts", "p.txt", "--trace", "bad.csv"}, "together with --prompts"},
           {{"serve", "--model", "stories260K", "--check-alone"}, "check-alone"},
           {{"serve", "--prompts", "p.txt", "--preemption", "swap"}, "moves no values"},
           {{"serve", "--prompts", "missing.txt"}, "missing.txt: cannot be opened"},
           {{"serve", "--prompts", "empty.txt"}, "empty.txt: 'prompts': has no lines"},
           {{"serve", "--prompts", "gap.txt"}, "gap.txt:2:1: 'prompts'"},
           {{"serve", "--prompts", "p.txt", "--weights", "bad.csv"}, "bad.csv"},
           {{"serve", "--prompts", "p.txt", "--temperature", "-1"}, "temperature"},
           {{"serve", "--prompts", "p.txt", "--steps", "0"}, "steps"},
           {{"serve", "--model", "stories260K", "--step-cache", "bad.csv"}, "not a file of step"},
           {{"serve", "--model", "stories260K", "--step-cache", "no/such/file"},
            "cannot be opened"},
           {{"serve", "--step-workers", "-1"}, "step-workers"},
           {{"serve", "--model", "stories260K", "--trace", "two.csv", "--warmup", "2"},
            "leaves none of the 2 requests"},
           {{"serve", "--model", "stories260K", "--trace", "two.csv", "--skip-requests", "2"},
            "accepted: a smaller --skip-requests"},
           {{"serve", "--grid-tolerance", "0"}, "grid-tolerance"},
           {{"serve", "--slo-ttft-ms", "nan"}, "slo-ttft-ms"},
           {{"capacity", "--model", "stories260K"}, "needs a service level"},
           {{"capacity", "--slo-ttft-ms", "0"}, "slo-ttft-ms"},
           {{"capacity", "--slo-ttft-ms", "5", "--seek", "gold"}, "rate, machines, memory"},
           {{"capacity", "--slo-ttft-ms", "5", "--percentile", "101"}, "percentile"},
           {{"capacity", "--slo-ttft-ms", "5", "--good-share", "1.5"}, "good-share"},
           {{"capacity", "--slo-ttft-ms", "5", "--tolerance", "0"}, "tolerance"},
           {{"capacity", "--slo-ttft-ms", "5", "--most-machines", "0"}, "most-machines"},
           {{"capacity", "--slo-ttft-ms", "5", "--seek", "memory", "--kv-blocks", "9"},
            "what --seek memory looks for"},
           {{"capacity", "--slo-ttft-ms", "5", "--closed-loop", "4"}, "no arrival rate"},
           {{"capacity", "--slo-ttft-ms", "5", "--trace", "missing.csv"}, "missing.csv"},
           {{"capacity", "--slo-ttft-ms", "5", "--model", "stories260K", "--trace", "bad.csv"},
            "bad.csv:2:6"},
           {{"capacity", "--slo-ttft-ms", "5", "--prompts", "p.txt"}, "prompts"},
           {{"plan", "--context", "-1"}, "context"},
           {{"plan", "--utilization", "1.5"}, "utilization"},
           {{"plan", "--overhead-gib", "-1"}, "overhead-gib"},
           {{"plan", "--trace", "bad.csv"}, "bad.csv:2:6"},
           {{"trace", "info", "bad.csv", "--rate", "0"}, "rate"},
           {{"trace", "info", "missing.csv"}, "missing.csv"},
           {{"trace", "info", "bad.csv", "--trace-format", "json"}, "azure, burstgpt"},
           {{"trace", "make", "--requests", "0"}, "requests"},
           {{"trace", "make", "--prompt-length", "fixed:0"}, "a mean from 1"},
           {{"trace", "make", "--arrival-cv", "-1"}, "arrival-cv"},
           {{"trace", "make", "--prefix-share", "2"}, "prefix-share"},
           {{"plan", "--kv-blocks", "1"}, "kv-blocks"}}) {
    const Outcome outcome = run(one.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << one.message << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(one.message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace ridgepoint::tests
