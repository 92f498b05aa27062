// SPDX-License-Identifier: Apache-2.0
// Real text on the simulated machine: the reference's tokens exactly, the cache invisible in the
// logits' bits, and cycles that do not depend on values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/kernels/machines.hpp"
#include "tests/workloads/reference_files.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"
#include "workloads/step/generator.hpp"
#include "workloads/tokenizer/tokenizer.hpp"

namespace ridgepoint::workloads {
namespace {

using testing_files::GreedyRow;

constexpr Formats kHalf{core::DType::kFp16, core::DType::kFp16, core::DType::kFp32};
constexpr Formats kSingle{core::DType::kFp32, core::DType::kFp32, core::DType::kFp32};

bool have_weights() {
  return std::filesystem::exists(testing_files::shared_file("weights/stories260K.bin"));
}

std::uint32_t best_of(std::span<const float> logits) {
  return static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) -
                                    logits.begin());
}

struct TextRun {
  GenerateResult result;
  std::vector<std::uint64_t> logit_hashes;  // of every step's bits
};

TextRun run(soc::Machine& machine, const LoadedModel& model, const std::vector<std::int32_t>& prompt,
        std::int64_t steps, bool use_cache, const Formats& formats) {
  TextRun run;
  GenerateSpec spec;
  spec.prompt.assign(prompt.begin(), prompt.end());
  spec.steps = steps;
  spec.use_cache = use_cache;
  spec.stop_token = kBos;
  spec.formats = formats;
  spec.choose = best_of;
  spec.on_logits = [&](std::int64_t, std::span<const float> logits) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const float logit : logits) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &logit, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
    }
    run.logit_hashes.push_back(hash);
  };
  run.result = generate(machine, model, spec);
  return run;
}

// As the reference: the stopping BOS counts as generated there.
std::vector<std::int32_t> with_stop(const GenerateResult& result) {
  std::vector<std::int32_t> tokens(result.tokens.begin(), result.tokens.end());
  if (result.stopped) tokens.push_back(kBos);
  return tokens;
}

class ReferenceText : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ReferenceText, TokensAreExactAndTheCacheIsInvisible) {
  if (!have_weights()) GTEST_SKIP() << "the published weights are not here";
  const std::vector<GreedyRow> rows =
      testing_files::read_greedy(testing_files::shared_file("reference/stories260K_greedy.csv"));
  ASSERT_EQ(rows.size(), 12u);
  const GreedyRow& row = rows[GetParam()];
  const LoadedModel model = load_weights(testing_files::shared_file("weights/stories260K.bin"));
  const auto steps = static_cast<std::int64_t>(row.generated.size());
  soc::Machine machine(test_machines::small_machine());
  const TextRun cached = run(machine, model, row.prompt_tokens, steps, true, kHalf);
  EXPECT_EQ(with_stop(cached.result), row.generated);
  const TextRun uncached = run(machine, model, row.prompt_tokens, steps, false, kHalf);
  EXPECT_EQ(uncached.logit_hashes, cached.logit_hashes);
  EXPECT_EQ(uncached.result.tokens, cached.result.tokens);
  EXPECT_GT(uncached.result.kv_multiply_adds, cached.result.kv_multiply_adds);
}

INSTANTIATE_TEST_SUITE_P(Prompts, ReferenceText, ::testing::Range<std::size_t>(0, 12));

// All files of the model hold the same half-precision tensors, so one of them stands for all in
// the test above; a few tokens of each are generated to see the whole path.
TEST(ReferenceFormats, EveryFileGivesTheSameHalfPrecisionModelAndTokens) {
  if (!have_weights()) GTEST_SKIP() << "the published weights are not here";
  const GreedyRow row =
      testing_files::read_greedy(testing_files::shared_file("reference/stories260K_greedy.csv"))[3];
  const LoadedModel reference = converted(
      load_weights(testing_files::shared_file("weights/stories260K.bin")), core::DType::kFp16);
  soc::Machine machine(test_machines::small_machine());
  for (const char* file : {"weights/stories260K.bin", "weights/stories260K-f32.safetensors",
                           "weights/stories260K-f16.gguf", "weights/stories260K-f32.gguf"}) {
    const LoadedModel model = load_weights(testing_files::shared_file(file));
    const LoadedModel half = converted(model, core::DType::kFp16);
    ASSERT_EQ(half.tensors.size(), reference.tensors.size()) << file;
    for (std::size_t i = 0; i < half.tensors.size(); ++i) {
      EXPECT_EQ(half.tensors[i].bytes, reference.tensors[i].bytes) << file;
    }
    for (const Formats& formats : {kHalf, kSingle}) {
      const TextRun text = run(machine, model, row.prompt_tokens, 12, true, formats);
      EXPECT_TRUE(
          std::equal(text.result.tokens.begin(), text.result.tokens.end(), row.generated.begin()))
          << file;
    }
  }
}

TEST(ReferenceLogits, Fp32IsWithinOneInTenThousand) {
  if (!have_weights()) GTEST_SKIP() << "the published weights are not here";
  const auto rows =
      testing_files::read_greedy(testing_files::shared_file("reference/stories260K_greedy.csv"));
  const LoadedModel model = load_weights(testing_files::shared_file("weights/stories260K.bin"));
  soc::Machine machine(test_machines::small_machine());
  std::size_t compared = 0;
  double worst = 0;
  std::vector<float> expected;
  GenerateSpec spec;
  spec.formats = kSingle;
  std::vector<std::vector<float>> known;  // by position, of the current prompt
  const auto check_prompt = [&](const std::vector<std::int32_t>& prompt) {
    spec.prompt = {static_cast<std::uint32_t>(prompt.front())};
    spec.steps = static_cast<std::int64_t>(known.size());
    std::size_t position = 0;
    spec.on_logits = [&](std::int64_t, std::span<const float> logits) {
      for (std::size_t i = 0; i < logits.size(); ++i) {
        worst = std::max(worst, std::fabs(static_cast<double>(logits[i]) - known[position][i]));
      }
      ++compared;
    };
    spec.choose = [&](std::span<const float>) {  // the prompt's own next token, whatever is best
      ++position;
      return static_cast<std::uint32_t>(position < prompt.size() ? prompt[position] : 0);
    };
    generate(machine, model, spec);
  };
  std::size_t current = 0;
  for (const auto& cells : testing_files::csv_records(testing_files::read_file(
           testing_files::shared_file("reference/stories260K_prefill_logits.csv")))) {
    if (cells.size() != 3 || cells[0] == "prompt_id") continue;
    const std::size_t prompt = std::stoul(cells[0]);
    if (prompt != current) {
      check_prompt(rows[current].prompt_tokens);
      known.clear();
      current = prompt;
    }
    known.push_back(testing_files::numbers<float>(cells[2]));
  }
  check_prompt(rows[current].prompt_tokens);
  EXPECT_EQ(compared, 116u);
  EXPECT_LE(worst, 1e-4);
}

// Without any file: the toy model of the seed's count, prompts of 6 and 10 tokens more.
TEST(Toy, TheCacheSavesSevenTimesTheMultiplyAdds) {
  const LoadedModel toy = make_seeded_model(find_model("toy-2x16"), 1);
  soc::Machine machine(test_machines::small_machine());
  const std::vector<std::int32_t> prompt{1, 4, 5, 6, 7, 8};
  const TextRun cached = run(machine, toy, prompt, 10, true, kHalf);
  const TextRun uncached = run(machine, toy, prompt, 10, false, kHalf);
  EXPECT_EQ(uncached.logit_hashes, cached.logit_hashes);
  EXPECT_EQ(uncached.result.kv_multiply_adds, 107'520);
  EXPECT_EQ(cached.result.kv_multiply_adds, 15'360);
  EXPECT_EQ(cached.result.cached_numbers, 960);
}

TEST(Toy, CyclesDoNotDependOnValues) {
  const LoadedModel toy = make_seeded_model(find_model("toy-2x16"), 1);
  soc::Machine machine(test_machines::small_machine());
  GenerateSpec spec;
  spec.prompt = {1, 4, 5, 6, 7, 8};
  spec.steps = 6;
  spec.formats = kHalf;
  // Token 0 always, as in a run without values: embedding rows are addresses.
  spec.choose = [](std::span<const float>) { return 0u; };
  machine.reset_memory();
  const GenerateResult with = generate(machine, toy, spec);
  spec.values = false;
  machine.reset_memory();
  const GenerateResult without = generate(machine, toy, spec);
  EXPECT_EQ(with.step_cycles, without.step_cycles);
  EXPECT_TRUE(with.report.total.hbm == without.report.total.hbm);
  EXPECT_EQ(with.report.total.stalls, without.report.total.stalls);
}

// bf16 changes tokens of a model this small: it is only compared with itself.
TEST(Toy, Bf16CacheIsInvisibleToo) {
  const LoadedModel toy = make_seeded_model(find_model("toy-2x16"), 2);
  soc::Machine machine(test_machines::small_machine());
  const Formats bf16{core::DType::kBf16, core::DType::kBf16, core::DType::kBf16};
  const std::vector<std::int32_t> prompt{1, 9, 8};
  EXPECT_EQ(run(machine, toy, prompt, 8, true, bf16).logit_hashes,
            run(machine, toy, prompt, 8, false, bf16).logit_hashes);
}

}  // namespace
}  // namespace ridgepoint::workloads
