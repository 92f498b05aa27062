// SPDX-License-Identifier: Apache-2.0
// Hand-worked schedules of the v1 scheduler in which memory is plentiful: budget, order, limits.
// Blocks hold 4 tokens. serving_scenario.hpp explains the notation.
#include <gmock/gmock.h>

#include "tests/workloads/serving_scenario.hpp"

namespace ridgepoint::workloads::scenario {
namespace {

using ::testing::ElementsAre;

TEST(V1Budget, PromptThenOneTokenPerStep) {
  // The step that completes the prompt samples the first token; one more step gives the second.
  const Outcomes outcomes = run({.jobs = {{0, 3, 2}}});
  EXPECT_THAT(outcomes.steps, ElementsAre("+A3*", "A1*"));
  EXPECT_EQ(outcomes.records[0].ttft, 1'000'000);
  EXPECT_EQ(outcomes.records[0].tpot, 1'000'000);
  EXPECT_EQ(outcomes.records[0].e2e, 2'000'000);
}

TEST(V1Budget, ALongPromptIsCutAtTheBudget) {
  Case setup{.jobs = {{0, 8, 1}}};
  setup.limits.max_num_batched_tokens = 4;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A4", "A4*"));
}

TEST(V1Budget, TwoPromptsShareOneBudget) {
  // 6 tokens: A's 4 and 2 of B. Then A decodes while B catches up; A is done after its second.
  Case setup{.jobs = {{0, 4, 2}, {0, 4, 2}}};
  setup.limits.max_num_batched_tokens = 6;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A4* +B2", "A1* B2*", "B1*"));
}

TEST(V1Budget, RunningBeforeWaiting) {
  // A takes the whole first budget; afterwards B gets what A's decode leaves: 3 of 4.
  Case setup{.jobs = {{0, 4, 4}, {0, 10, 1}}};
  setup.limits.max_num_batched_tokens = 4;
  EXPECT_THAT(run(setup).steps,
              ElementsAre("+A4* ?token_budget", "A1* +B3", "A1* B3", "A1* B3", "B1*"));
}

TEST(V1Budget, MaxSequences) {
  // B is let in only in the step after A's last one.
  Case setup{.jobs = {{0, 2, 2}, {0, 2, 1}}};
  setup.limits.max_num_seqs = 1;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A2* ?max_sequences", "A1* ?max_sequences", "+B2*"));
}

TEST(V1Budget, LongPrefillThreshold) {
  // A may take 3 tokens per step although the budget is 100, so that B runs beside it.
  Case setup{.jobs = {{0, 7, 1}, {0, 2, 1}}};
  setup.limits.long_prefill_threshold = 3;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A3 +B2*", "A3", "A1*"));
}

TEST(V1Budget, WithoutChunkingAPromptWaitsForAWholeBudget) {
  // B's 4 tokens exceed the 2 that A leaves.
  Case setup{.jobs = {{0, 6, 1}, {0, 4, 1}}};
  setup.limits.max_num_batched_tokens = 8;
  setup.limits.chunked_prefill = false;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A6* ?token_budget", "+B4*"));
}

TEST(V1Budget, TheHeadBlocksSmallerRequestsBehindIt) {
  // C's single token would fit beside A, but B is the head of the line.
  Case setup{.jobs = {{0, 6, 2}, {0, 4, 1}, {0, 1, 1}}};
  setup.limits.max_num_batched_tokens = 8;
  setup.limits.chunked_prefill = false;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A6* ?token_budget", "A1* +B4* +C1*"));
}

TEST(V1Budget, DecodesAloneCanExhaustTheBudget) {
  // Two decodes use both tokens; C waits until they are done.
  Case setup{.jobs = {{0, 1, 3}, {0, 1, 3}, {0, 1, 2}}};
  setup.limits.max_num_batched_tokens = 2;
  EXPECT_THAT(run(setup).steps, ElementsAre("+A1* +B1* ?token_budget", "A1* B1* ?token_budget",
                                            "A1* B1* ?token_budget", "+C1*", "C1*"));
}

TEST(V1Budget, RunningBeyondTheBudgetWaitsItsTurnInOrder) {
  // A and B are still prefilling when the budget of 3 is smaller than what they could use: A takes
  // it all until its prompt is done, although B was let in.
  Case setup{.jobs = {{0, 2, 1}, {0, 7, 1}, {0, 3, 1}}};
  setup.limits.max_num_batched_tokens = 3;
  // Step 0: A 2, B 1. Step 1: B 3. Step 2: B 3 (7 of 7). Step 3: C 3.
  EXPECT_THAT(run(setup).steps, ElementsAre("+A2* +B1 ?token_budget", "B3 ?token_budget",
                                            "B3* ?token_budget", "+C3*"));
}

TEST(V1Budget, ArrivalDuringAStepWaitsForItsEnd) {
  // B arrives in the middle of step 1 and enters step 2; its TTFT contains the half step.
  const Outcomes outcomes = run({.jobs = {{0, 2, 3}, {1.5, 2, 1}}});
  EXPECT_THAT(outcomes.steps, ElementsAre("+A2*", "A1*", "A1* +B2*"));
  EXPECT_EQ(outcomes.records[1].ttft, 1'500'000);
  EXPECT_EQ(outcomes.records[1].spent[0], 500'000);    // queue
  EXPECT_EQ(outcomes.records[1].spent[1], 1'000'000);  // prefill
}

TEST(V1Budget, TheMachineIdlesUntilTheNextArrival) {
  const Outcomes outcomes = run({.jobs = {{0, 1, 1}, {10, 1, 1}}});
  EXPECT_THAT(outcomes.steps, ElementsAre("+A1*", "+B1*"));
  EXPECT_EQ(outcomes.records[1].ttft, 1'000'000);
  EXPECT_EQ(outcomes.summary.makespan, 11'000'000);
  EXPECT_DOUBLE_EQ(outcomes.summary.running_mean(), 2.0 / 11);  // one request in 2 of 11 ms
}

TEST(V1Budget, LongerThanTheModelIsRejectedNotCut) {
  Case setup{.jobs = {{0, 6, 3}, {0, 6, 2}}};
  setup.limits.max_model_len = 8;
  const Outcomes outcomes = run(setup);
  EXPECT_EQ(outcomes.records[0].outcome, Outcome::kLongerThanModel);
  EXPECT_EQ(outcomes.records[1].outcome, Outcome::kCompleted);
  EXPECT_THAT(outcomes.steps, ElementsAre("+B6*", "B1*"));
}

TEST(V1Budget, WithoutChunkingATooLongRequestIsRejected) {
  // After a preemption prompt and outputs (7 + 2 - 1 tokens) would have to run in one step of 7.
  Case setup{.jobs = {{0, 7, 2}, {0, 7, 1}}};
  setup.limits.max_num_batched_tokens = 7;
  setup.limits.chunked_prefill = false;
  const Outcomes outcomes = run(setup);
  EXPECT_EQ(outcomes.records[0].outcome, Outcome::kLargerThanBudget);
  EXPECT_THAT(outcomes.steps, ElementsAre("+B7*"));
}

}  // namespace
}  // namespace ridgepoint::workloads::scenario
