// SPDX-License-Identifier: Apache-2.0
// Hand-worked prefix sharing: full blocks only, the last token is always computed, the first miss
// ends a lookup, tails are evicted first. Blocks and trace ids stand for 4 tokens.
#include <gmock/gmock.h>

#include "tests/workloads/serving_scenario.hpp"

namespace ridgepoint::workloads::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(PrefixCache, OnlyFullBlocksHit) {
  // 10 tokens are 2 full blocks and 2 tokens: 8 hit.
  const Outcomes outcomes = run({.jobs = {{0, 10, 1, {1, 2, 3}}, {1, 10, 1, {1, 2, 3}}}});
  EXPECT_THAT(outcomes.steps, ElementsAre("+A10*", "+B2*h8"));
  EXPECT_EQ(outcomes.records[1].prefix_hit_tokens, 8);
  EXPECT_EQ(outcomes.records[1].resident_tokens, 0);
}

TEST(PrefixCache, TheLastTokenIsComputedAgain) {
  // All 8 tokens are cached, but logits need the last one: the lookup ends at 7 tokens, 1 block.
  EXPECT_THAT(run({.jobs = {{0, 8, 1, {1, 2}}, {1, 8, 1, {1, 2}}}}).steps,
              ElementsAre("+A8*", "+B4*h4"));
}

TEST(PrefixCache, TheFirstMissEndsTheLookup) {
  // The third block has the same id, but another block in front of it: another hash.
  EXPECT_THAT(run({.jobs = {{0, 12, 1, {1, 2, 3}}, {1, 12, 1, {1, 9, 3}}}}).steps,
              ElementsAre("+A12*", "+B8*h4"));
}

TEST(PrefixCache, TwoRequestsOfOneStepShare) {
  // Blocks are offered when they are scheduled: B finds what A computes in the same step.
  EXPECT_THAT(run({.jobs = {{0, 10, 1, {1, 2, 3}}, {0, 10, 1, {1, 2, 3}}}}).steps,
              ElementsAre("+A10* +B2*h8"));
}

TEST(PrefixCache, WithoutIdsNothingIsShared) {
  EXPECT_THAT(run({.jobs = {{0, 10, 1}, {1, 10, 1}}}).steps, ElementsAre("+A10*", "+B10*"));
}

TEST(PrefixCache, TurnedOff) {
  Case setup{.prefix_cache = false, .jobs = {{0, 10, 1, {1, 2, 3}}, {1, 10, 1, {1, 2, 3}}}};
  EXPECT_THAT(run(setup).steps, ElementsAre("+A10*", "+B10*"));
}

TEST(PrefixCache, TheTailOfAFreedSequenceIsEvictedFirst) {
  // A frees blocks 2, 1 behind 3, 4; B takes 3, 4 and frees 4, 3; C takes 2, A's second. D finds
  // only A's first block.
  EXPECT_THAT(
      run({.usable_blocks = 4,
           .jobs = {{0, 8, 1, {1, 2}}, {1, 8, 1, {5, 6}}, {2, 4, 1, {7}}, {3, 9, 1, {1, 2, 8}}}})
          .steps,
      ElementsAre("+A8*", "+B8*", "+C4*", "+D5*h4"));
}

TEST(PrefixCache, AHitMakesABlockRecentAgain) {
  // 3 blocks. A leaves id 1 in block 1, B id 2 in block 2. C hits id 1 and takes 3; it frees 3, 1:
  // the list is 2, 3, 1. D takes 2 and evicts id 2, so E still hits id 1 and F misses id 2.
  EXPECT_THAT(run({.usable_blocks = 3,
                   .jobs = {{0, 4, 1, {1}},
                            {1, 4, 1, {2}},
                            {2, 5, 1, {1, 3}},
                            {3, 4, 1, {4}},
                            {4, 5, 1, {1, 5}},
                            {5, 5, 1, {2, 6}}}})
                  .steps,
              ElementsAre("+A4*", "+B4*", "+C1*h4", "+D4*", "+E1*h4", "+F5*"));
}

TEST(PrefixCache, SharedBlocksAreNotFreedByAPreemption) {
  // A: blocks 1, 2; B shares 1 and takes 3; C shares 1 and takes 4. In step 4 all hold 8 tokens and
  // A needs a block: C leaves (only 4 is freed), A takes 4. B needs one too and is the last itself.
  // B is in front of C again. A's thirteenth token (step 8) takes block 3, B's second. In step 9 B
  // finds the shared block, 5 tokens to run, and takes 3 of 4 blocks; C needs 2 more than that.
  const std::vector<std::uint64_t> ids_a{7, 11};
  const std::vector<std::uint64_t> ids_b{7, 12};
  const std::vector<std::uint64_t> ids_c{7, 13};
  std::vector<std::string> expected{"+A5* +B1*h4 +C1*h4"};
  repeat(expected, 3, "A1* B1* C1*");
  expected.push_back("A1* -C -B ?preemption");
  repeat(expected, 4, "A1* ?kv_blocks");
  expected.insert(expected.end(), {"+B5*h4 ?kv_blocks", "+C5*h4"});
  const Outcomes outcomes =
      run({.usable_blocks = 4, .jobs = {{0, 5, 9, ids_a}, {0, 5, 5, ids_b}, {0, 5, 5, ids_c}}});
  EXPECT_THAT(outcomes.steps, ElementsAreArray(expected));
  EXPECT_EQ(outcomes.records[1].prefix_hit_tokens, 4);
  EXPECT_EQ(outcomes.records[1].resident_tokens, 4);
  EXPECT_EQ(outcomes.records[1].recomputed_tokens, 4);
}

// A and B share block 1; C and D need all others. E finds id 1 only if nothing could take it.
const std::vector<Job> kPinning{
    {0, 5, 1, {1, 2}}, {1, 5, 1, {1, 3}}, {2, 8, 1, {4, 5}}, {3, 8, 1, {6, 7}}, {4, 5, 1, {1, 9}}};

TEST(PrefixCache, APinnedPrefixOutlivesAFullPool) {
  // Freed as 3, 4, 2, 1 by A and 4, 2, 3, 1 by B; C takes 4, 2 and D 3, 1.
  EXPECT_THAT(run({.usable_blocks = 4, .jobs = kPinning}).steps,
              ElementsAre("+A5*", "+B1*h4", "+C8*", "+D8*", "+E5*"));
  // B's hit pins block 1: D takes 3, 2.
  const Outcomes pinned = run({.usable_blocks = 4, .pin_tokens = 4, .jobs = kPinning});
  EXPECT_THAT(pinned.steps, ElementsAre("+A5*", "+B1*h4", "+C8*", "+D8*", "+E1*h4"));
  EXPECT_EQ(pinned.usage.cached_pinned, 4);
  EXPECT_EQ(pinned.usage.total(), 5 * 4);
}

TEST(PrefixCache, PinsKeepToTheirShareAndToSharedPrefixes) {
  // A quarter of 4 blocks: of the two that B finds only the first; C's blocks are nobody else's.
  const std::vector<Job> jobs{{0, 9, 1, {1, 2, 3}}, {1, 9, 1, {1, 2, 4}}, {2, 8, 1, {5, 6}}};
  const Outcomes outcomes =
      run({.usable_blocks = 4, .pin_tokens = 100, .pin_share = 0.25, .jobs = jobs});
  EXPECT_THAT(outcomes.steps, ElementsAre("+A9*", "+B1*h8", "+C8*"));
  EXPECT_EQ(outcomes.usage.cached_pinned, 4);
  // What fits only without the share is refused: it might wait for ever.
  const Outcomes tight = run({.usable_blocks = 4, .pin_tokens = 4, .jobs = {{0, 9, 1, {1, 2, 3}}}});
  EXPECT_EQ(tight.records[0].outcome, Outcome::kLargerThanPool);
}

TEST(PrefixCache, OwnBlocksFoundAgainAfterAPreemptionAreNotPinned) {
  const std::vector<Job> jobs{{0, 4, 9, {1}}, {0, 4, 9, {2}}};
  const Outcomes outcomes = run({.usable_blocks = 8, .pin_tokens = 4, .jobs = jobs});
  EXPECT_EQ(outcomes.usage.cached_pinned, 0);
  const Outcomes few = run({.usable_blocks = 5, .pin_tokens = 4, .pin_share = 0.3, .jobs = jobs});
  EXPECT_GT(few.summary.preemptions, 0);
  EXPECT_GT(few.records[1].resident_tokens, 0);
  EXPECT_EQ(few.usage.cached_pinned, 0);
}

Request with_tokens(std::vector<std::int32_t> tokens) {
  Request request;
  request.prompt_tokens = static_cast<std::int64_t>(tokens.size());
  request.tokens = std::move(tokens);
  return request;
}

std::vector<BlockHash> hashes_of(Request request, const char* salt) {
  extend_hashes(request, 4, salted(salt));
  return request.hashes;
}

TEST(BlockHash, DependsOnEverythingInFrontAndOnTheSalt) {
  const auto base = hashes_of(with_tokens({1, 2, 3, 4, 5, 6, 7, 8, 9}), "model-a");
  ASSERT_EQ(base.size(), 2u);  // the ninth token has no full block
  const auto same = hashes_of(with_tokens({1, 2, 3, 4, 5, 6, 7, 8}), "model-a");
  EXPECT_EQ(base, same);
  const auto early = hashes_of(with_tokens({1, 2, 0, 4, 5, 6, 7, 8}), "model-a");
  EXPECT_FALSE(early[0] == base[0]);
  EXPECT_FALSE(early[1] == base[1]);  // its own 4 tokens are the same
  const auto late = hashes_of(with_tokens({1, 2, 3, 4, 5, 6, 8, 7}), "model-a");
  EXPECT_EQ(late[0], base[0]);
  EXPECT_FALSE(late[1] == base[1]);
  // Another model, or the same model behind another template: a stale prefix cannot hit.
  EXPECT_FALSE(hashes_of(with_tokens({1, 2, 3, 4}), "model-b")[0] == base[0]);
  EXPECT_FALSE(hashes_of(with_tokens({1, 2, 3, 4}), "")[0] == base[0]);
}

TEST(BlockHash, TraceIdsOfAnotherSizeThanTheBlocks) {
  // One id per 8 tokens, blocks of 4: both halves differ; equal ids give equal halves.
  Request request;
  request.prompt_tokens = 14;
  request.block_ids = {5, 6};
  request.id_tokens = 8;
  Request other = request;
  other.id = 1;
  extend_hashes(request, 4, salted("m"));
  extend_hashes(other, 4, salted("m"));
  ASSERT_EQ(request.hashes.size(), 3u);
  EXPECT_EQ(request.hashes, other.hashes);
  EXPECT_FALSE(request.hashes[0] == request.hashes[1]);
  // Once outputs fill the fourth block, it belongs to the request alone.
  request.outputs = other.outputs = 2;
  extend_hashes(request, 4, salted("m"));
  extend_hashes(other, 4, salted("m"));
  ASSERT_EQ(request.hashes.size(), 4u);
  EXPECT_FALSE(request.hashes[3] == other.hashes[3]);
}

}  // namespace
}  // namespace ridgepoint::workloads::scenario
