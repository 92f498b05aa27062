// SPDX-License-Identifier: Apache-2.0
// Every kind of layer with values on the simulated machine: the tokens of the plain forward pass,
// the same with and without the KV cache, and cycles that do not depend on values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "tests/kernels/machines.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/reference_model.hpp"
#include "workloads/step/generator.hpp"

namespace ridgepoint::workloads {
namespace {

// Names that ctest shows.
std::string word_of(std::string text) {
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

ModelShape base(const char* name) {
  ModelShape shape;
  shape.name = name;
  shape.layers = 3;
  shape.d_model = 64;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 16;
  shape.ffn_dim = 96;
  shape.vocab = 80;
  shape.rope_theta = 10000;
  shape.rotary_dim = 16;
  shape.max_context = 512;
  return shape;
}

ModelShape windows() {
  ModelShape shape = base("windows, norms of heads and after blocks");
  shape.sliding_window = 5;
  shape.window_local_layers = 2;
  shape.window_global_layers = 1;
  shape.rope_theta_local = 500;
  shape.qk_norm = true;
  shape.norms_per_layer = 4;
  shape.activation = Activation::kGeGlu;
  shape.tied_embeddings = true;
  return shape;
}

ModelShape sinks() {
  ModelShape shape = base("sinks, biases, experts with biases, clamped activation");
  shape.attention_sinks = true;
  shape.qkv_bias = true;
  shape.other_bias = true;
  shape.sliding_window = 7;
  shape.window_local_layers = 1;
  shape.window_global_layers = 1;
  shape.activation = Activation::kSwiGluClamped;
  shape.moe = MoeShape{4, 2, 48, 0, 0, true};
  return shape;
}

ModelShape experts() {
  ModelShape shape = base("shared experts behind a dense layer");
  shape.moe = MoeShape{8, 3, 32, 2, 1, false};
  return shape;
}

ModelShape latent(std::int64_t q_lora) {
  ModelShape shape = base(q_lora > 0 ? "latent attention, low-rank queries" : "latent attention");
  shape.kv_heads = shape.heads;
  shape.head_dim = 24;
  shape.rotary_dim = 8;
  shape.mla = MlaShape{q_lora, 32, 16, 8, 16};
  return shape;
}

std::uint32_t best_of(std::span<const float> logits) {
  return static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) -
                                    logits.begin());
}

struct Text {
  GenerateResult result;
  std::vector<std::vector<float>> logits;
};

Text generated(const LoadedModel& model, const std::vector<std::int32_t>& prompt,
               const Formats& formats, bool use_cache, bool values = true) {
  soc::Machine machine(test_machines::small_machine());
  Text text;
  GenerateSpec spec;
  spec.prompt.assign(prompt.begin(), prompt.end());
  spec.steps = 8;
  spec.use_cache = use_cache;
  spec.formats = formats;
  spec.values = values;
  spec.choose = best_of;
  spec.on_logits = [&](std::int64_t, std::span<const float> logits) {
    text.logits.emplace_back(logits.begin(), logits.end());
  };
  text.result = generate(machine, model, spec);
  return text;
}

std::vector<std::int32_t> prompt_of(std::int64_t tokens, std::int64_t vocab) {
  std::vector<std::int32_t> prompt;
  for (std::int64_t i = 0; i < tokens; ++i) {
    prompt.push_back(static_cast<std::int32_t>((i * 37 + 11) % vocab));
  }
  return prompt;
}

class Families : public ::testing::TestWithParam<ModelShape> {};

TEST_P(Families, TokensAndLogitsAreThoseOfThePlainForwardPass) {
  const LoadedModel model = make_seeded_model(GetParam(), 5);
  const std::vector<std::int32_t> prompt = prompt_of(21, GetParam().vocab);
  const Formats single{core::DType::kFp32, core::DType::kFp32, core::DType::kFp32};
  const Text cached = generated(model, prompt, single, true);
  ReferenceModel reference(model);
  std::vector<std::vector<float>> logits;
  const std::vector<std::int32_t> tokens =
      generate_reference(reference, prompt, 8, -1, {}, true, &logits);
  EXPECT_EQ(std::vector<std::int32_t>(cached.result.tokens.begin(), cached.result.tokens.end()),
            tokens);
  ASSERT_EQ(cached.logits.size(), logits.size());
  for (std::size_t step = 0; step < logits.size(); ++step) {
    for (std::size_t i = 0; i < logits[step].size(); ++i) {
      ASSERT_NEAR(cached.logits[step][i], logits[step][i], 2e-5) << step << ' ' << i;
    }
  }
  const Text uncached = generated(model, prompt, single, false);
  EXPECT_EQ(cached.result.tokens, uncached.result.tokens);
  // Latent attention sums in another order in prefill than in decode; all others bit for bit.
  if (!GetParam().mla) {
    EXPECT_EQ(cached.logits, uncached.logits);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Families,
                         ::testing::Values(windows(), sinks(), experts(), latent(0), latent(40)),
                         [](const auto& row) { return word_of(row.param.name); });

// Narrow weights and caches are computed as stored: near fp32 by their precision, and equal to the
// plain forward pass on the same rounded weights.
struct NarrowCase {
  core::DType weights, kv;
  double bound;  // of logits that lie within about 3
};

class NarrowFormats : public ::testing::TestWithParam<NarrowCase> {};

TEST_P(NarrowFormats, ValuesAreComputedInThem) {
  const NarrowCase c = GetParam();
  ModelShape shape = base("narrow");
  shape.head_dim = 32;
  shape.rotary_dim = 32;
  const LoadedModel model = make_seeded_model(shape, 6);
  const std::vector<std::int32_t> prompt = prompt_of(19, shape.vocab);
  const Formats narrow{c.weights, c.kv, core::DType::kFp32};
  const Text with = generated(model, prompt, narrow, true);
  const Text exact =
      generated(model, prompt, {core::DType::kFp32, core::DType::kFp32, core::DType::kFp32}, true);
  double worst = 0, spread = 0;
  for (std::size_t i = 0; i < exact.logits[0].size(); ++i) {
    worst = std::max(worst, std::fabs(double{with.logits[0][i]} - exact.logits[0][i]));
    spread = std::max(spread, std::fabs(double{exact.logits[0][i]}));
  }
  EXPECT_GT(worst, 1e-5);  // really rounded
  EXPECT_LT(worst, c.bound) << spread;
  // The cache is not visible in the bits: both paths read what was stored.
  EXPECT_EQ(generated(model, prompt, narrow, false).logits, with.logits);
}

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFormats,
                         ::testing::Values(NarrowCase{core::DType::kFp8, core::DType::kFp16, 0.4},
                                           NarrowCase{core::DType::kFp8E5m2, core::DType::kFp16,
                                                      0.8},
                                           NarrowCase{core::DType::kInt8, core::DType::kFp16, 0.1},
                                           NarrowCase{core::DType::kInt4, core::DType::kFp16, 1.2},
                                           NarrowCase{core::DType::kMxFp4, core::DType::kFp16, 1.5},
                                           NarrowCase{core::DType::kNvFp4, core::DType::kFp16, 1.2},
                                           NarrowCase{core::DType::kFp16, core::DType::kFp8, 0.2},
                                           NarrowCase{core::DType::kFp16, core::DType::kInt8, 0.1},
                                           NarrowCase{core::DType::kFp16, core::DType::kInt4, 0.6},
                                           NarrowCase{core::DType::kBf16, core::DType::kBf16, 0.1}),
                         [](const auto& row) {
                           return word_of(std::string(core::name_of(row.param.weights)) +
                                          "_weights_" + std::string(core::name_of(row.param.kv)) +
                                          "_cache");
                         });

TEST(FamilyCycles, DoNotDependOnValues) {
  for (const ModelShape& shape : {windows(), latent(0)}) {
    const LoadedModel model = make_seeded_model(shape, 5);
    const Formats narrow{core::DType::kFp8, core::DType::kFp8, core::DType::kFp16};
    const std::vector<std::int32_t> prompt = prompt_of(30, shape.vocab);
    EXPECT_EQ(generated(model, prompt, narrow, true, true).result.step_cycles,
              generated(model, prompt, narrow, true, false).result.step_cycles)
        << shape.name;
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
