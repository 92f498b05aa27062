// SPDX-License-Identifier: Apache-2.0
// The plain forward pass on a real model: published tokens and logits, from every file format, with
// and without the cache, and with values rounded where they are stored.
#include "workloads/models/reference_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "tests/workloads/reference_files.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"
#include "workloads/tokenizer/tokenizer.hpp"

namespace ridgepoint::workloads {
namespace {

using core::DType;
using testing_files::GreedyRow;
using testing_files::LogitsRow;
using testing_files::read_greedy;
using testing_files::read_logits;
using testing_files::shared_file;

const char* const kBin = "weights/stories260K.bin";
const char* const kGreedy = "reference/stories260K_greedy.csv";
const char* const kLogits = "reference/stories260K_prefill_logits.csv";
constexpr std::int64_t kLongest = 512;

// How many of the twelve prompts give exactly the published tokens.
int exact_prompts(const std::string& weights, const StorageFormats& formats) {
  ReferenceModel model(load_weights(shared_file(weights)), formats);
  int exact = 0;
  for (const GreedyRow& row : read_greedy(shared_file(kGreedy))) {
    exact +=
        generate_reference(model, row.prompt_tokens, kLongest, kBos, {}, true) == row.generated;
  }
  return exact;
}

TEST(ReferenceModel, Fp32TokensAreThePublishedOnes) {
  RIDGEPOINT_NEED_SHARED(kBin);
  EXPECT_EQ(exact_prompts(kBin, {}), 12);
}

TEST(ReferenceModel, Fp32LogitsAreWithin1e4OfThePublishedOnes) {
  RIDGEPOINT_NEED_SHARED(kLogits);
  const std::vector<GreedyRow> prompts = read_greedy(shared_file(kGreedy));
  ReferenceModel model(load_weights(shared_file(kBin)));
  const std::vector<LogitsRow> rows = read_logits(shared_file(kLogits));
  ASSERT_EQ(rows.size(), 116u);
  double worst = 0;
  std::size_t prompt = prompts.size();
  std::vector<float> logits;
  for (const LogitsRow& row : rows) {
    if (row.prompt != prompt) {
      prompt = row.prompt;
      model.reset();
      logits = model.forward(prompts.at(prompt).prompt_tokens);
    }
    ASSERT_EQ(row.logits.size(), 512u);
    for (std::size_t i = 0; i < 512; ++i) {
      worst = std::max(
          worst, std::fabs(double{logits.at(row.position * 512 + i)} - double{row.logits[i]}));
    }
  }
  EXPECT_LE(worst, 1e-4);
  RecordProperty("worst_difference", std::to_string(worst));
}

// Matrices and cache in fp16 keep every token in any order of summation; with activations in fp16
// too, it depends on the order whether the closest of 3,224 decisions (4.2e-3 apart) still holds.
StorageFormats fp16_weights_and_cache() {
  StorageFormats formats;
  formats.weights = DType::kFp16;
  formats.kv = DType::kFp16;
  return formats;
}

TEST(ReferenceModel, Fp16WeightsAndCacheKeepEveryToken) {
  RIDGEPOINT_NEED_SHARED(kBin);
  EXPECT_EQ(exact_prompts(kBin, fp16_weights_and_cache()), 12);
}

TEST(ReferenceModel, Fp16FileKeepsEveryToken) {
  RIDGEPOINT_NEED_SHARED(kBin);
  EXPECT_EQ(exact_prompts("weights/stories260K-f16.gguf", fp16_weights_and_cache()), 12);
}

// With every stored value in fp16, 9 to 12 prompts were exact in nine orders of summation; the last
// bit of the C library's exp moves it as well. bf16 has an eighth of the precision.
TEST(ReferenceModel, RoundingEverythingCostsPromptsAndBf16AlmostAll) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const int half = exact_prompts(kBin, StorageFormats::all(DType::kFp16));
  const int brain = exact_prompts(kBin, StorageFormats::all(DType::kBf16));
  EXPECT_GE(half, 8);
  EXPECT_LE(brain, 3);
}

TEST(ReferenceModel, CacheAndNoCacheLogitsAreBitEqual) {
  for (const DType dtype : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    const LoadedModel toy = make_seeded_model(find_model("toy-2x16"), 1);
    ReferenceModel model(toy, StorageFormats::all(dtype));
    const std::vector<TokenId> prompt = Tokenizer::byte_level().encode("hello");
    std::vector<std::vector<float>> with;
    std::vector<std::vector<float>> without;
    const auto a = generate_reference(model, prompt, 10, kBos, {}, true, &with);
    const auto b = generate_reference(model, prompt, 10, kBos, {}, false, &without);
    EXPECT_EQ(a.size(), 10u);
    EXPECT_EQ(a, b);
    EXPECT_TRUE(with == without);
  }
}

TEST(ReferenceModel, RealCacheAndNoCacheLogitsAreBitEqual) {
  RIDGEPOINT_NEED_SHARED(kBin);
  ReferenceModel model(load_weights(shared_file(kBin)), StorageFormats::all(DType::kFp16));
  const std::vector<TokenId> prompt = read_greedy(shared_file(kGreedy)).at(3).prompt_tokens;
  std::vector<std::vector<float>> with;
  std::vector<std::vector<float>> without;
  const auto a = generate_reference(model, prompt, 40, kBos, {}, true, &with);
  EXPECT_EQ(a, generate_reference(model, prompt, 40, kBos, {}, false, &without));
  EXPECT_TRUE(with == without);
}

// Chunks of a prompt give the logits of the whole prompt.
TEST(ReferenceModel, ChunkedPrefillIsBitEqual) {
  ReferenceModel model(make_seeded_model(find_model("toy-2x16"), 4));
  const std::vector<TokenId> tokens = Tokenizer::byte_level().encode("a longer prompt in chunks");
  const std::vector<float> whole = model.forward_last(tokens);
  model.reset();
  std::vector<float> last;
  for (std::size_t at = 0; at < tokens.size(); at += 7) {
    const std::size_t count = std::min<std::size_t>(7, tokens.size() - at);
    last = model.forward_last(std::span(tokens).subspan(at, count));
  }
  EXPECT_EQ(model.cached_tokens(), static_cast<std::int64_t>(tokens.size()));
  EXPECT_EQ(last, whole);
}

// GPT-2 (LayerNorm, GELU, biases, learned positions), Qwen2 (q, k, v biases), Qwen3 (q and k norms)
// and Mistral (window), cut down to two narrow layers.
TEST(ReferenceModel, OtherFamiliesRunAndSeeTheirCache) {
  for (const char* name : {"gpt2-small", "qwen2.5-0.5b", "qwen3-0.6b", "mistral-7b-v0.1"}) {
    ModelShape shape = find_model(name);
    shape.layers = 2;
    shape.d_model = 32;
    shape.heads = 4;
    shape.kv_heads = std::min<std::int64_t>(shape.kv_heads, 2);
    shape.head_dim = 8;
    shape.rotary_dim = shape.learned_positions() ? 0 : 8;
    shape.ffn_dim = 48;
    shape.vocab = 259;
    shape.max_context = 64;
    if (shape.sliding_window > 0) shape.sliding_window = 4;
    ReferenceModel model(make_seeded_model(shape, 9));
    const std::vector<TokenId> prompt = Tokenizer::byte_level().encode("hello");
    const auto a = generate_reference(model, prompt, 12, -1, {}, true);
    EXPECT_EQ(a, generate_reference(model, prompt, 12, -1, {}, false)) << name;
    for (const float logit : model.forward_last(prompt)) ASSERT_TRUE(std::isfinite(logit)) << name;
  }
}

TEST(ReferenceModel, GenerationStopsAtTheContextsEnd) {
  ModelShape shape = find_model("toy-2x16");
  shape.max_context = 8;
  ReferenceModel model(make_seeded_model(shape, 1));
  const std::vector<TokenId> prompt = Tokenizer::byte_level().encode("hello");
  EXPECT_EQ(generate_reference(model, prompt, 100, -1, {}, true).size(), 3u);  // at 6, 7 and 8
  model.reset();
  EXPECT_THROW(model.forward(std::vector<TokenId>(9, 5)), core::InputError);
  EXPECT_THROW(model.forward(std::vector<TokenId>{}), core::InputError);
  EXPECT_THROW(model.forward(std::vector<TokenId>{259}), core::InputError);
}

}  // namespace
}  // namespace ridgepoint::workloads
