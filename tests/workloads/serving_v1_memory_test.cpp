// SPDX-License-Identifier: Apache-2.0
// Hand-worked schedules of the v1 scheduler in tiny pools: admission, preemption, the null block.
// Blocks hold 4 tokens; block 0 is the null block, so that the free list starts as 1, 2, 3, ...
#include <gmock/gmock.h>

#include "tests/workloads/serving_scenario.hpp"

namespace ridgepoint::workloads::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(V1Memory, TheNullBlockIsNotUsable) {
  // Two usable blocks hold 8 tokens. A's only output is never fed back, so 8 slots are enough; B
  // needs a ninth for its first output, C for its prompt.
  const Outcomes outcomes = run({.usable_blocks = 2, .jobs = {{0, 8, 1}, {0, 8, 2}, {0, 9, 1}}});
  EXPECT_THAT(outcomes.steps, ElementsAre("+A8*"));
  EXPECT_EQ(outcomes.records[0].outcome, Outcome::kCompleted);
  EXPECT_EQ(outcomes.records[1].outcome, Outcome::kLargerThanPool);
  EXPECT_EQ(outcomes.records[2].outcome, Outcome::kLargerThanPool);
}

TEST(V1Memory, TheHeadBlocksRequestsThatWouldFit) {
  // A holds 2 of 4 blocks, B needs 3: nobody enters, though C needs 1. A takes its third block with
  // its ninth token and is done in step 3; then B (3 blocks) and C (1) enter together.
  EXPECT_THAT(run({.usable_blocks = 4, .jobs = {{0, 8, 4}, {0, 12, 1}, {0, 4, 1}}}).steps,
              ElementsAre("+A8* ?kv_blocks", "A1* ?kv_blocks", "A1* ?kv_blocks", "A1* ?kv_blocks",
                          "+B12* +C4*"));
}

TEST(V1Memory, TheYoungestIsPreemptedAndFindsItsOldestBlockAgain) {
  // A: blocks 1, 3; B: 2, 4; both hold 8 tokens after step 4. In step 5 A needs a ninth slot: B is
  // preempted, its blocks return tail first (4, 2), A takes 4. B, with 5 outputs 9 known tokens,
  // needs 3 blocks and waits for A's end (step 8). Its first block (2) still holds 4 tokens: 5 new.
  const Outcomes outcomes = run({.usable_blocks = 4, .jobs = {{0, 4, 9}, {0, 4, 9}}});
  std::vector<std::string> expected{"+A4* +B4*"};
  repeat(expected, 4, "A1* B1*");
  expected.push_back("A1* -B ?preemption");
  repeat(expected, 3, "A1* ?kv_blocks");
  expected.push_back("+B5*h4");
  repeat(expected, 3, "B1*");
  EXPECT_THAT(outcomes.steps, ElementsAreArray(expected));
  const RequestRecord& b = outcomes.records[1];
  EXPECT_EQ(b.preemptions, 1);
  EXPECT_EQ(b.resident_tokens, 4);  // found again, not a prefix hit
  EXPECT_EQ(b.prefix_hit_tokens, 0);
  EXPECT_EQ(b.recomputed_tokens, 4);  // it had computed 8
  EXPECT_EQ(b.spent[0], 4'000'000);   // queue: steps 5 to 8
}

TEST(V1Memory, ARequestCanPreemptItself) {
  // A: 1, 2, then 5; B: 3, 4. In step 1 B needs a third block and is itself the youngest. A's
  // thirteenth token (step 5) takes block 4, B's second, so that B finds only its first again.
  std::vector<std::string> expected{"+A8* +B8*", "A1* -B ?preemption"};
  repeat(expected, 6, "A1* ?kv_blocks");
  expected.push_back("+B5*h4");
  repeat(expected, 3, "B1*");
  EXPECT_THAT(run({.usable_blocks = 5, .jobs = {{0, 8, 8}, {0, 8, 5}}}).steps,
              ElementsAreArray(expected));
}

TEST(V1Memory, APreemptedRequestGoesInFrontOfTheLine) {
  // As two tests above, with C waiting since step 0. From step 6 a block is free, and C would fit,
  // but B is the head. In step 9 B takes 3 blocks and C the last.
  Case setup{.usable_blocks = 4, .jobs = {{0, 4, 9}, {0, 4, 9}, {0, 4, 1}}};
  setup.limits.max_num_seqs = 2;
  std::vector<std::string> expected{"+A4* +B4* ?max_sequences"};
  repeat(expected, 4, "A1* B1* ?max_sequences");
  expected.push_back("A1* -B ?preemption");
  repeat(expected, 3, "A1* ?kv_blocks");
  expected.push_back("+B5*h4 +C4*");
  repeat(expected, 3, "B1*");
  EXPECT_THAT(run(setup).steps, ElementsAreArray(expected));
}

TEST(V1Memory, NothingIsRepeatedWhenEverythingIsStillThere) {
  // A: block 1, then 3; B: block 2. In step 5 B's fifth token finds no block: it preempts itself
  // with 4 tokens computed and 3 sampled. Its block survives; one new token in step 7.
  Case setup{.usable_blocks = 3, .jobs = {{0, 2, 7}, {0, 2, 8}}};
  setup.limits.max_num_batched_tokens = 2;
  std::vector<std::string> expected{"+A2* ?token_budget", "A1* +B1"};
  repeat(expected, 3, "A1* B1*");
  expected.insert(expected.end(), {"A1* -B ?preemption", "A1* ?kv_blocks", "+B1*h4"});
  repeat(expected, 4, "B1*");
  const Outcomes outcomes = run(setup);
  EXPECT_THAT(outcomes.steps, ElementsAreArray(expected));
  EXPECT_EQ(outcomes.records[1].recomputed_tokens, 0);
  EXPECT_EQ(outcomes.records[1].resident_tokens, 4);
}

TEST(V1Memory, RecomputationIsChunkedLikeAnyPrompt) {
  // The same without a prefix cache: 5 known tokens run again as 2 + 2 + 1; 4 of them repeat.
  Case setup{.usable_blocks = 3, .prefix_cache = false, .jobs = {{0, 2, 7}, {0, 2, 8}}};
  setup.limits.max_num_batched_tokens = 2;
  std::vector<std::string> expected{"+A2* ?token_budget", "A1* +B1"};
  repeat(expected, 3, "A1* B1*");
  expected.insert(expected.end(), {"A1* -B ?preemption", "A1* ?kv_blocks", "+B2", "B2", "B1*"});
  repeat(expected, 4, "B1*");
  const Outcomes outcomes = run(setup);
  EXPECT_THAT(outcomes.steps, ElementsAreArray(expected));
  EXPECT_EQ(outcomes.records[1].recomputed_tokens, 4);
}

TEST(V1Memory, FullInputMustFitButIsNotHeld) {
  // B's 12 tokens need 3 blocks and 3 are free, so it enters with a chunk of 4 (block 2). A's fifth
  // token takes block 3, so B's next 7 tokens (2 blocks) find one: B preempts itself. It waits
  // until 3 blocks are free at once, and finds its first 4 tokens again.
  Case setup{.usable_blocks = 4, .jobs = {{0, 4, 6}, {0, 12, 1}}};
  setup.limits.max_num_batched_tokens = 8;
  std::vector<std::string> expected{"+A4* +B4", "A1* -B ?preemption"};
  repeat(expected, 4, "A1* ?kv_blocks");
  expected.push_back("+B8*h4");
  EXPECT_THAT(run(setup).steps, ElementsAreArray(expected));
}

TEST(V1Memory, FullInputKeepsALongPromptOut) {
  // 2 blocks are free, B's input needs 3: it waits, although its first chunk of 2 would fit.
  Case setup{.usable_blocks = 4, .jobs = {{0, 8, 2}, {0, 12, 1}}};
  setup.limits.max_num_batched_tokens = 10;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A8* ?kv_blocks", "A1* ?kv_blocks", "+B10", "B2*"));
}

TEST(V1Memory, FirstChunkAdmissionLetsItInTooEarly) {
  // The same with the looser rule: B enters with 2 tokens and must leave again in the next step; a
  // block that was never full leaves nothing behind.
  Case setup{.usable_blocks = 4, .jobs = {{0, 8, 2}, {0, 12, 1}}};
  setup.limits.max_num_batched_tokens = 10;
  setup.limits.admission = AdmissionPolicy::kFirstChunk;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A8* +B2", "A1* -B ?preemption", "+B10", "B2*"));
}

TEST(V1Memory, FullLengthAdmissionNeverPreempts) {
  // Each needs 3 blocks in the end, 4 exist: one after the other.
  Case setup{.usable_blocks = 4, .jobs = {{0, 4, 9}, {0, 4, 9}}};
  setup.limits.admission = AdmissionPolicy::kFullLength;
  std::vector<std::string> expected{"+A4* ?kv_blocks"};
  repeat(expected, 8, "A1* ?kv_blocks");
  expected.push_back("+B4*");
  repeat(expected, 8, "B1*");
  EXPECT_THAT(run(setup).steps, ElementsAreArray(expected));
}

TEST(V1Memory, TheWatermarkStaysFree) {
  // One block must stay free: B's single block would be the last. C (4 blocks + 1) can never enter.
  Case setup{.usable_blocks = 4, .jobs = {{0, 12, 1}, {0, 4, 1}, {0, 13, 1}}};
  setup.limits.watermark_blocks = 1;
  const Outcomes outcomes = run(setup);
  EXPECT_THAT(outcomes.steps, ElementsAre("+A12* ?kv_blocks", "+B4*"));
  EXPECT_EQ(outcomes.records[2].outcome, Outcome::kLargerThanPool);
}

TEST(V1Memory, OnlyOnePreemptionIfOneIsEnough) {
  // Three requests of one block each in 3 blocks; A's fifth token preempts C only, and then B's
  // fifth finds none: B is the last and preempts itself. B returns before C. Each has 2 outputs so
  // far (steps 0 and 1... prompts of 3): A 4 tokens after step 1.
  //  step 0: 3 tokens each; step 1: 4 each; step 2: A needs block -> C out, A has its block; B
  //  needs one -> B out itself. A: outputs 1, 2, 3; done after step 3 with its fourth. step 3: B (5
  //  known, first block found, but 2 free blocks hold both B's and C's first): needs 2 - 1 + 1 = 2,
  //  free: C's and B's blocks are 3 and 2, A took 3; so 1 free: waits. step 4: A is gone, free 2,
  //  then A's 3 and 1: B enters with 1 token behind 4. C (5 known, its block 3 was taken) needs 2
  //  blocks, 1 free: waits until B is done (4 outputs: steps 0, 1, 4, 5).
  const Outcomes outcomes = run({.usable_blocks = 3, .jobs = {{0, 3, 4}, {0, 3, 4}, {0, 3, 4}}});
  EXPECT_THAT(outcomes.steps,
              ElementsAre("+A3* +B3* +C3*", "A1* B1* C1*", "A1* -C -B ?preemption",
                          "A1* ?kv_blocks", "+B1*h4 ?kv_blocks", "B1* ?kv_blocks", "+C5*", "C1*"));
  EXPECT_EQ(outcomes.summary.preemptions, 2);
  EXPECT_EQ(outcomes.records[2].recomputed_tokens, 4);
}

TEST(V1Memory, SwapBringsTheTokensBackInsteadOfComputingThem) {
  // As the first preemption scenario, but B's 8 tokens go to the host and come back: it runs its
  // ninth token only. 8 tokens * 16 B at 1 GB/s are 128 ns each way.
  Case setup{.usable_blocks = 4, .jobs = {{0, 4, 9}, {0, 4, 9}}};
  setup.limits.preemption = Preemption::kSwap;
  std::vector<std::string> expected{"+A4* +B4*"};
  repeat(expected, 4, "A1* B1*");
  expected.push_back("A1* -B ?preemption");
  repeat(expected, 3, "A1* ?kv_blocks");
  expected.push_back("+B1*h8");
  repeat(expected, 3, "B1*");
  const Outcomes outcomes = run(setup);
  EXPECT_THAT(outcomes.steps, ElementsAreArray(expected));
  EXPECT_EQ(outcomes.records[1].recomputed_tokens, 0);
  EXPECT_EQ(outcomes.summary.swapped_tokens, 16);
  EXPECT_EQ(outcomes.summary.makespan, 13'000'000 + 2 * 128);
}

}  // namespace
}  // namespace ridgepoint::workloads::scenario
