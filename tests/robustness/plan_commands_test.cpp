// SPDX-License-Identifier: Apache-2.0
// plan as a user runs it: the known numbers, beside and with a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/robustness/command_tables.hpp"
#include "tests/workloads/shared_files.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;

class PlanCommands : public CommandTables {};

TEST_F(PlanCommands, PlanGivesTheKnownNumbers) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const Outcome dense = run({"plan", "--model", "llama-2-7b", "--context", "8192"});
  ASSERT_EQ(dense.exit_code, 0) << dense.err;
  EXPECT_NEAR(number(dense.out, "weight_bytes") / kGiB, 12.6, 0.05);
  EXPECT_EQ(number(dense.out, "kv_bytes_per_request"), 4 * kGiB);
  EXPECT_EQ(cell(dense.out, "max_requests_count"), "16");
  EXPECT_EQ(cell(dense.out, "limit"), "cache");
  const Outcome grouped = run({"plan", "--model", "llama-2-7b-gqa8", "--context", "8192"});
  ASSERT_EQ(grouped.exit_code, 0) << grouped.err;
  EXPECT_NEAR(number(grouped.out, "weight_bytes") / kGiB, 11.1, 0.05);
  EXPECT_EQ(cell(grouped.out, "max_requests_count"), "68");
  EXPECT_LT(number(grouped.out, "real_max_requests_count"), 68);
}

TEST_F(PlanCommands, PlanWithATraceGivesItsConcurrency) {
  const Outcome outcome = run({"plan", "--trace", "synthetic-chat", "--kv-blocks", "7449"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const double ratio = number(outcome.out, "trace_kv_used_ratio");
  EXPECT_GT(ratio, 0.95);
  EXPECT_LT(ratio, 1);
  EXPECT_THAT(outcome.err, HasSubstr("max-length"));
}

// The policy table, by `plan`; tests/workloads/serving_policies_test.cpp has it by serving.
// Computed independently from the same files: shares within 1 percentage point, concurrency
// within 2.
TEST_F(PlanCommands, PlanGivesThePolicyTableOfTheAzureTraces) {
  struct Row {
    const char* policy;
    const char* reserve;
    const char* block_tokens;
    double conv_percent, code_percent;
  };
  for (const Row& row :
       {Row{"max-length", "4096", "16", 27.9, 35.4}, Row{"max-length", "8192", "16", 15.0, 26.0},
        Row{"pow2", "4096", "16", 62.1, 69.9}, Row{"oracle", "4096", "16", 87.9, 96.4},
        Row{"paged", "4096", "16", 99.4, 99.7}, Row{"paged", "4096", "128", 95.1, 97.1}}) {
    for (const bool conv : {true, false}) {
      const std::string trace =
          std::string("traces/AzureLLMInferenceTrace_") + (conv ? "conv" : "code") + ".csv";
      RIDGEPOINT_NEED_SHARED(trace);
      const Outcome outcome =
          run({"plan", "--machine", "a100-80g", "--model", "llama-2-7b", "--overhead-gib", "1.1",
               "--trace", testing_files::shared_file(trace), "--kv-policy", row.policy,
               "--reserve-tokens", row.reserve, "--block-tokens", row.block_tokens,
               "--allow-unused"});
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      const std::string what = trace + ' ' + row.policy + ' ' + row.reserve;
      EXPECT_NEAR(100 * number(outcome.out, "trace_kv_used_ratio"),
                  conv ? row.conv_percent : row.code_percent, 1)
          << what;
      if (std::string(row.block_tokens) != "16") continue;
      // (0.9 * 80 GiB - weights - activations - 1.1 GiB) / 8 MiB
      EXPECT_EQ(number(outcome.out, "kv_blocks_count"), 7449) << what;
      const double running = number(outcome.out, "trace_running_count");
      if (std::string(row.policy) == "paged") {
        EXPECT_NEAR(running, conv ? 97 : 56, 2) << what;
      }
      if (std::string(row.reserve + std::string(row.policy)) == "4096max-length") {
        EXPECT_NEAR(running, 29, 2) << what;
      }
    }
  }
}

// Half the bytes per token are twice the blocks, and the requests that run with them.
TEST_F(PlanCommands, AnEightBitCacheHoldsTwiceTheRequests) {
  std::string trace = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (int i = 0; i < 70; ++i) trace += "0,16,496\n";  // 511 slots, 32 blocks
  file("t.csv", trace);
  const auto with = [&](const std::string& command, const std::string& dtype) {
    std::vector<std::string> arguments{
        command, "--model",        "stories260K", "--machine.memory_gib",
        "0.012", "--trace",        "t.csv",       "--overhead-gib",
        "0",     "--kv-policy",    "oracle",      "--max-batch-tokens",
        "256",   "--max-num-seqs", "128",         "--kv-dtype",
        dtype};
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string plan16 = with("plan", "fp16");
  const std::string plan8 = with("plan", "fp8");
  EXPECT_EQ(number(plan8, "kv_bytes_per_token") * 2, number(plan16, "kv_bytes_per_token"));
  EXPECT_EQ(number(plan16, "kv_blocks_count"), 1032);
  EXPECT_EQ(number(plan8, "kv_blocks_count"), 2 * 1032);
  EXPECT_EQ(number(plan16, "real_max_requests_count"), 32);
  EXPECT_EQ(number(plan8, "real_max_requests_count"), 64);
  EXPECT_EQ(number(with("serve", "fp16"), "running_max_count"), 32);
  EXPECT_EQ(number(with("serve", "fp8"), "running_max_count"), 64);
}

TEST_F(PlanCommands, MemoryBeyondTheHbmIsRefusedWithBothSizes) {
  for (const char* command : {"plan", "run", "serve"}) {
    const Outcome outcome = run({command, "--machine.memory_gib", "100"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("value '100' is more than the HBM holds: 80 GiB in 5"));
  }
  // Fewer stacks leave less than the machine's description says.
  const Outcome few = run({"plan", "--hbm.stacks", "2"});
  ASSERT_EQ(few.exit_code, 0) << few.err;
  EXPECT_EQ(number(few.out, "kv_pool_bytes") + number(few.out, "weight_bytes"), 32.0 * (1 << 30));
}

TEST_F(PlanCommands, PlanOfWeightsThatDoNotFitRunsNothing) {
  const Outcome outcome = run({"plan", "--model", "llama-3.1-405b", "--trace", "synthetic-chat"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(cell(outcome.out, "kv_blocks_count"), "0");
  EXPECT_EQ(cell(outcome.out, "trace_running_count"), "0");
  EXPECT_THAT(outcome.err, HasSubstr("oracle: 0 requests at once"));
}

}  // namespace
}  // namespace ridgepoint::tests
