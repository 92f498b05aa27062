// SPDX-License-Identifier: Apache-2.0
// Real text through the serving engine: with paging, prefix sharing, chunked prefill and
// preemption every request gets exactly the tokens it gets alone, because attention reads the cache
// through the engine's block tables; and what those tables name is the address that is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/kernels/machines.hpp"
#include "tests/workloads/reference_files.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"
#include "workloads/serving/engine.hpp"
#include "workloads/serving/text_step_time.hpp"
#include "workloads/step/generator.hpp"
#include "workloads/tokenizer/tokenizer.hpp"

namespace ridgepoint::workloads {
namespace {

using Tokens = std::vector<std::int32_t>;

constexpr Formats kHalf{core::DType::kFp16, core::DType::kFp16, core::DType::kFp32};

std::uint32_t best_of(std::span<const float> logits) {
  return static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) -
                                    logits.begin());
}

struct TextStudy {
  std::vector<Tokens> prompts;
  std::int64_t outputs = 8;
  std::int64_t kv_blocks = 64;
  std::int64_t block_tokens = 4;
  std::int64_t budget = 12;
  std::int64_t long_prefill = 0;
  std::string scheduler = "v1";
  std::string policy = "paged";
  Preemption preemption = Preemption::kRecompute;
  std::int32_t stop = -1;
  std::int64_t gap_us = 0;  // between arrivals
};

class PromptSource final : public TraceSource {
 public:
  explicit PromptSource(const TextStudy& study) : study_(study) {}
  bool next(TraceRequest& request) override {
    if (at_ == study_.prompts.size()) return false;
    request = {};
    request.line = at_ + 1;
    request.arrival = static_cast<std::int64_t>(at_) * study_.gap_us * 1000;
    request.prompt_tokens = static_cast<std::int64_t>(study_.prompts[at_++].size());
    request.output_tokens = study_.outputs;
    return true;
  }
  const TraceProblems& problems() const override { return problems_; }

 private:
  const TextStudy& study_;
  std::size_t at_ = 0;
  TraceProblems problems_;
};

struct TextOutcome {
  ServingSummary summary;
  std::map<std::uint64_t, Tokens> generated;
  std::int64_t chunks = 0;  // parts of prompts that did not end them
};

// One table names its second block twice. (Two blocks swapped would not show: keys carry their
// positions, and attention does not depend on their order.)
class WrongTable final : public StepTimeModel {
 public:
  explicit WrongTable(StepTimeModel& inner) : inner_(inner) {}
  core::Femtoseconds step_time(const StepBatch& batch) override {
    StepBatch wrong = batch;
    std::vector<BlockId> table;
    for (ServedSequence& sequence : wrong.sequences) {
      if (sequence.context == 0 || sequence.block_table.size() < 3 || !table.empty()) continue;
      table.assign(sequence.block_table.begin(), sequence.block_table.end());
      table[0] = table[1];
      sequence.block_table = table;
    }
    return inner_.step_time(wrong);
  }
  std::optional<Sampled> sampled_token(std::size_t sequence) override {
    return inner_.sampled_token(sequence);
  }

 private:
  StepTimeModel& inner_;
};

TextOutcome serve(const LoadedModel& model, const TextStudy& study, bool wrong_table = false) {
  KvOptions kv_options;
  kv_options.geometry = {study.kv_blocks, study.block_tokens, 0};
  kv_options.policy = study.policy;
  kv_options.reserve_tokens = model.shape.max_context;
  const auto kv = make_kv_memory(kv_options);
  const auto scheduler = make_scheduler(study.scheduler);
  EngineOptions options;
  options.limits.max_num_batched_tokens = study.budget;
  options.limits.max_num_seqs = 16;
  options.limits.long_prefill_threshold = study.long_prefill;
  options.limits.max_model_len = model.shape.max_context;
  options.limits.preemption = study.preemption;
  options.audit_every_step = true;
  soc::Machine machine(test_machines::small_machine());
  TextStepSpec spec;
  spec.formats = kHalf;
  spec.kv_blocks = study.kv_blocks;
  spec.block_tokens = study.block_tokens;
  spec.max_batch_tokens = study.budget;
  spec.max_num_seqs = 16;
  spec.memory_bytes = machine.hbm_bytes();
  spec.stop_token = study.stop;
  spec.choose = [](std::uint64_t, std::int64_t, std::span<const float> logits) {
    return best_of(logits);
  };
  TextStepTime text(machine, model, spec);
  WrongTable wrong(text);
  TextOutcome outcome;
  EngineObservers observers;
  observers.plan = [&](const StepPlan& plan, const SchedulerState&) {
    for (const ScheduledSequence& one : plan.sequences) {
      if (one.request->computed + one.new_tokens < one.request->prompt_tokens) ++outcome.chunks;
    }
  };
  observers.finished = [&](const Request& request) {
    outcome.generated[request.id].assign(request.tokens.begin() + request.prompt_tokens,
                                         request.tokens.end());
  };
  Engine engine(options, *kv, *scheduler, wrong_table ? static_cast<StepTimeModel&>(wrong) : text,
                observers);
  PromptSource source(study);
  outcome.summary = engine.run(source, [&](Request& request) {
    request.tokens = study.prompts[static_cast<std::size_t>(request.id)];
  });
  EXPECT_EQ(outcome.summary.completed(), study.prompts.size());
  return outcome;
}

Tokens alone(const LoadedModel& model, const Tokens& prompt, const TextStudy& study) {
  soc::Machine machine(test_machines::small_machine());
  GenerateSpec spec;
  spec.prompt.assign(prompt.begin(), prompt.end());
  spec.steps = study.outputs;
  spec.stop_token = study.stop;
  spec.formats = kHalf;
  spec.choose = best_of;
  const GenerateResult result = generate(machine, model, spec);
  Tokens tokens(result.tokens.begin(), result.tokens.end());
  if (result.stopped) tokens.push_back(study.stop);
  return tokens;
}

void expect_as_alone(const LoadedModel& model, const TextStudy& study, const TextOutcome& outcome) {
  for (std::size_t i = 0; i < study.prompts.size(); ++i) {
    EXPECT_EQ(outcome.generated.at(i), alone(model, study.prompts[i], study)) << "request " << i;
  }
}

// A common beginning of 9 tokens, then 1 to 7 of each request's own.
std::vector<Tokens> sharing_prompts(std::int64_t vocab, std::size_t count) {
  std::vector<Tokens> prompts;
  for (std::size_t i = 0; i < count; ++i) {
    Tokens prompt{1};
    for (std::int32_t k = 0; k < 8; ++k) prompt.push_back(3 + 7 * k % 50);
    for (std::size_t k = 0; k < 1 + i * 5 % 7; ++k) {
      prompt.push_back(
          static_cast<std::int32_t>((11 * i + 13 * k + 5) % static_cast<std::size_t>(vocab)));
    }
    prompts.push_back(prompt);
  }
  return prompts;
}

LoadedModel toy() { return make_seeded_model(find_model("toy-2x16"), 3); }

TEST(ServingText, PagingSharingChunksAndPreemptionChangeNoToken) {
  const LoadedModel model = toy();
  TextStudy study{.prompts = sharing_prompts(model.shape.vocab, 10)};
  study.kv_blocks = 14;
  study.long_prefill = 5;
  study.gap_us = 20;
  const TextOutcome outcome = serve(model, study);
  EXPECT_GT(outcome.summary.preemptions, 0);
  EXPECT_GT(outcome.summary.recomputed_tokens, 0);
  EXPECT_GT(outcome.summary.prefix_hit_tokens, 0);
  EXPECT_GT(outcome.chunks, 0);
  EXPECT_GT(outcome.summary.running_max, 2);
  expect_as_alone(model, study, outcome);
}

TEST(ServingText, EverySchedulerAndPolicyGivesTheSameTokens) {
  const LoadedModel model = toy();
  TextStudy study{.prompts = sharing_prompts(model.shape.vocab, 6), .outputs = 5};
  study.kv_blocks = 13;
  const TextOutcome first = serve(model, study);
  expect_as_alone(model, study, first);
  for (const SchedulerKind& kind : schedulers()) {
    study.scheduler = kind.name;
    EXPECT_EQ(serve(model, study).generated, first.generated) << kind.name;
  }
  study.scheduler = "v1";
  for (const char* policy : {"max-length", "pow2", "oracle"}) {
    study.policy = policy;
    study.kv_blocks = 200;
    EXPECT_EQ(serve(model, study).generated, first.generated) << policy;
  }
}

TEST(ServingText, AWrongBlockTableShowsInTheTokens) {
  const LoadedModel model = toy();
  TextStudy study{.prompts = sharing_prompts(model.shape.vocab, 3), .outputs = 12};
  EXPECT_NE(serve(model, study, true).generated, serve(model, study).generated);
}

TEST(ServingText, TheModelsEndEndsARequest) {
  const LoadedModel model = toy();
  TextStudy study{.prompts = sharing_prompts(model.shape.vocab, 2), .outputs = 12};
  const TextOutcome without = serve(model, study);
  study.stop = without.generated.at(0).at(3);
  const TextOutcome outcome = serve(model, study);
  EXPECT_LE(outcome.generated.at(0).size(), 4u);
  EXPECT_EQ(outcome.generated.at(0).back(), study.stop);
  expect_as_alone(model, study, outcome);
}

// What attention reads for a token is where its block lies in the pool, for the tables of a run in
// which blocks were shared, freed and given out again.
TEST(ServingText, BlockTablesNameTheAddressesThatAttentionReads) {
  const LoadedModel model = toy();
  PlacementSpec spec;
  spec.formats = kHalf;
  spec.kv_blocks = 14;
  spec.block_tokens = 4;
  spec.memory_bytes = 1u << 28;
  const Placement placement(model, spec);
  const kernels::KvCache& cache = placement.layers()[1].cache;
  const std::vector<std::uint32_t> table{9, 2, 13};
  for (std::int64_t head = 0; head < cache.kv_heads; ++head) {
    for (const bool is_v : {false, true}) {
      std::vector<isa::Segment> segments;
      isa::append_segments(cache.view(table.data(), head, is_v, 0, 11), segments);
      std::uint64_t bytes = 0;
      std::size_t block = 0;
      for (const isa::Segment& segment : segments) {
        // [block][KV head][K, V][token][dim]; blocks 9, 2 and 13 are not neighbours.
        const std::uint64_t expected =
            cache.address + table.at(block) * static_cast<std::uint64_t>(cache.block_bytes()) +
            static_cast<std::uint64_t>(
                core::bytes_of(cache.dtype, (2 * head + (is_v ? 1 : 0)) * 4 * cache.head_dim));
        EXPECT_EQ(segment.address, expected);
        bytes += segment.bytes;
        ++block;
      }
      EXPECT_EQ(block, 3u);
      EXPECT_EQ(bytes,
                static_cast<std::uint64_t>(core::bytes_of(cache.dtype, 11 * cache.head_dim)));
    }
  }
}

TEST(ServingText, ThePublishedModelsTextIsTheReferences) {
  if (!std::filesystem::exists(testing_files::shared_file("weights/stories260K.bin"))) {
    GTEST_SKIP() << "the published weights are not here";
  }
  const LoadedModel model = load_weights(testing_files::shared_file("weights/stories260K.bin"));
  const auto rows =
      testing_files::read_greedy(testing_files::shared_file("reference/stories260K_greedy.csv"));
  TextStudy study{.prompts = {}, .outputs = 24, .kv_blocks = 30, .block_tokens = 4, .budget = 16};
  study.stop = kBos;
  study.gap_us = 50;
  for (const auto& row : rows) study.prompts.push_back(row.prompt_tokens);
  // The same prompts again: they share all full blocks.
  for (const auto& row : rows) study.prompts.push_back(row.prompt_tokens);
  const TextOutcome outcome = serve(model, study);
  EXPECT_GT(outcome.summary.preemptions, 0);
  EXPECT_GT(outcome.summary.prefix_hit_tokens, 0);
  EXPECT_GT(outcome.chunks, 0);
  for (std::size_t i = 0; i < study.prompts.size(); ++i) {
    const Tokens& reference = rows[i % rows.size()].generated;
    const Tokens& served = outcome.generated.at(i);
    ASSERT_EQ(served.size(), std::min<std::size_t>(24, reference.size())) << i;
    EXPECT_TRUE(std::equal(served.begin(), served.end(), reference.begin())) << "request " << i;
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
