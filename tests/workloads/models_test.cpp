// SPDX-License-Identifier: Apache-2.0
// Shapes and what follows from them: every count against the published one, the seed figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/core/error.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::workloads {
namespace {

using core::DType;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
double gib(std::int64_t bytes) { return static_cast<double>(bytes) / kGiB; }
double one_decimal(double value) { return std::round(value * 10) / 10; }

template <typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

TEST(Models, EveryShapeGivesItsDeclaredCount) {
  EXPECT_EQ(all_models().size(), 52u);
  for (const ModelShape& shape : all_models()) {
    EXPECT_EQ(parameter_count(shape), shape.declared_params) << shape.name;
  }
}

TEST(Models, CountsStayWithinTwoPercentOfThePublishedOnes) {
  std::size_t compared = 0;
  for (const ModelShape& shape : all_models()) {
    if (shape.published_params == 0) continue;
    ++compared;
    const auto published = static_cast<double>(shape.published_params);
    EXPECT_NEAR(static_cast<double>(parameter_count(shape)) / published, 1.0, 0.0125) << shape.name;
  }
  EXPECT_EQ(compared, 50u);
}

TEST(Models, ActiveCountsOfExpertModels) {
  EXPECT_EQ(active_parameter_count(find_model("mixtral-8x7b")), 12879925248);
  EXPECT_EQ(active_parameter_count(find_model("qwen3-235b-a22b")), 22190763520);
  EXPECT_EQ(active_parameter_count(find_model("deepseek-v2-lite")), 2661150208);
  EXPECT_EQ(active_parameter_count(find_model("deepseek-v3")), 37552297472);
  EXPECT_EQ(active_parameter_count(find_model("gpt-oss-120b")), 5711982912);
  for (const ModelShape& shape : all_models()) {
    if (shape.moe) {
      EXPECT_LT(active_parameter_count(shape), parameter_count(shape));
    } else {
      EXPECT_EQ(active_parameter_count(shape), parameter_count(shape)) << shape.name;
    }
  }
}

TEST(Models, DecodeMatmulParamsLeaveOutTableNormsAndPositions) {
  const ModelShape& llama = find_model("llama-2-7b");
  const std::int64_t norms = (2 * llama.layers + 1) * llama.d_model;
  EXPECT_EQ(decode_matmul_params(llama), 6607077376);
  EXPECT_EQ(decode_matmul_params(llama) + norms + llama.vocab * llama.d_model,
            parameter_count(llama));
  EXPECT_EQ(decode_matmul_params(find_model("gpt2-small")), 123614976);
  EXPECT_EQ(decode_matmul_params(find_model("stories260K")), 259328);
  for (const ModelShape& shape : all_models()) {
    EXPECT_LT(decode_matmul_params(shape), active_parameter_count(shape)) << shape.name;
    EXPECT_GT(decode_matmul_params(shape), active_parameter_count(shape) / 2) << shape.name;
  }
}

TEST(Models, SeedFiguresOfTheCache) {
  const ModelShape& gpt2 = find_model("gpt2-small");
  EXPECT_EQ(kv_bytes_per_token(gpt2, DType::kFp16) * 1024, 36 * 1024 * 1024);
  const ModelShape& seven = find_model("llama-2-7b");
  EXPECT_EQ(kv_bytes_per_token(seven, DType::kFp16) * 8192, std::int64_t{4} << 30);
  const ModelShape& grouped = find_model("llama-2-7b-gqa8");
  EXPECT_EQ(kv_bytes_per_token(grouped, DType::kFp16) * 8192, std::int64_t{1} << 30);
  EXPECT_EQ(kv_bytes_per_token(grouped, DType::kFp8) * 2,
            kv_bytes_per_token(grouped, DType::kFp16));
  // int8 has a 2-byte scale for every 32 numbers.
  EXPECT_EQ(kv_bytes_per_token(grouped, DType::kInt8) * 64,
            kv_bytes_per_token(grouped, DType::kFp16) * 34);
}

// 12.6 GiB is 6,738,415,616 parameters of 2 bytes (12.55); 11.1 GiB is the same model with K and V
// projections of 1,024 instead of 4,096 rows: 805,306,368 parameters fewer, 5,933,109,248 (11.05).
TEST(Models, SeedFiguresOfTheWeights) {
  const std::int64_t dense = weight_bytes(find_model("llama-2-7b"), DType::kFp16);
  const std::int64_t grouped = weight_bytes(find_model("llama-2-7b-gqa8"), DType::kFp16);
  EXPECT_EQ(dense, 13476831232);
  EXPECT_EQ(grouped, 11866218496);
  EXPECT_EQ(one_decimal(gib(dense)), 12.6);
  EXPECT_EQ(one_decimal(gib(grouped)), 11.1);
  const std::int64_t memory = std::int64_t{80} << 30;
  EXPECT_EQ((memory - dense) / (std::int64_t{4} << 30), 16);
  EXPECT_EQ((memory - grouped) / (std::int64_t{1} << 30), 68);
}

// The toy model's K and V projections: 2 layers x 2 matrices x 16 x 16 = 1,024 multiply-adds per
// token; 6 + 7 + ... + 15 = 105 token passes without a cache, 15 with.
TEST(Models, SeedFiguresOfTheToyModel) {
  const ModelShape& toy = find_model("toy-2x16");
  EXPECT_EQ(kv_macs_without_cache(toy, 6, 10), 107520);
  EXPECT_EQ(kv_macs_with_cache(toy, 6, 10), 15360);
  EXPECT_EQ(kv_elements(toy, 15), 960);
  EXPECT_EQ(kv_macs_with_cache(toy, 6, 1), kv_macs_without_cache(toy, 6, 1));
}

TEST(Models, MlaCachesTheLatentAndTheSharedKey) {
  const ModelShape& v3 = find_model("deepseek-v3");
  EXPECT_EQ(kv_bytes_per_token(v3, DType::kBf16), 61 * (512 + 64) * 2);
  EXPECT_EQ(kv_bytes_per_token(v3, DType::kBf16) / v3.layers, 1152);
  EXPECT_EQ(kv_macs_per_token(v3), 61 * 7168 * (512 + 64));
}

TEST(Models, WindowedLayersStopGrowing) {
  const ModelShape& gemma = find_model("gemma-3-1b");  // 5 local, 1 global; window 512
  std::int64_t local = 0;
  for (std::int64_t layer = 0; layer < gemma.layers; ++layer) local += gemma.is_windowed(layer);
  EXPECT_EQ(local, 22);
  const std::int64_t per_layer = kv_elements_per_token(gemma) / gemma.layers;
  EXPECT_EQ(kv_elements(gemma, 512), 512 * kv_elements_per_token(gemma));
  EXPECT_EQ(kv_elements(gemma, 8192), per_layer * (22 * 512 + 4 * 8192));
  EXPECT_FALSE(find_model("llama-3-8b").is_windowed(0));
  EXPECT_TRUE(find_model("mistral-7b-v0.1").is_windowed(31));
}

TEST(Models, UnknownNameListsWhatIsAccepted) {
  EXPECT_THAT(message_of([] { find_model("llama-9"); }),
              AllOf(HasSubstr("'llama-9'"), HasSubstr("gpt2-small"), HasSubstr("toy-2x16")));
}

// One row of a table, with one cell replaced.
std::string table_with(const std::string& column, const std::string& value) {
  std::string header;
  std::string row;
  const std::pair<const char*, const char*> cells[] = {{"name", "m"},
                                                       {"family", "f"},
                                                       {"layers", "2"},
                                                       {"d_model", "16"},
                                                       {"heads", "4"},
                                                       {"kv_heads", "2"},
                                                       {"head_dim", "4"},
                                                       {"ffn_dim", "8"},
                                                       {"vocab", "32"},
                                                       {"tied_embeddings", "1"},
                                                       {"norm", "rmsnorm"},
                                                       {"norms_per_layer", "2"},
                                                       {"activation", "swiglu"},
                                                       {"qkv_bias", "0"},
                                                       {"other_bias", "0"},
                                                       {"qk_norm", "0"},
                                                       {"attention_sinks", "0"},
                                                       {"sliding_window", ""},
                                                       {"window_local_layers", ""},
                                                       {"window_global_layers", ""},
                                                       {"rope_theta", "10000"},
                                                       {"rope_theta_local", ""},
                                                       {"rotary_dim", "4"},
                                                       {"max_context", "64"},
                                                       {"moe_experts", ""},
                                                       {"moe_active", ""},
                                                       {"moe_ffn_dim", ""},
                                                       {"moe_shared", ""},
                                                       {"moe_first_dense", ""},
                                                       {"moe_router_bias", ""},
                                                       {"mla_q_lora", ""},
                                                       {"mla_kv_lora", ""},
                                                       {"mla_qk_nope", ""},
                                                       {"mla_qk_rope", ""},
                                                       {"mla_v_dim", ""},
                                                       {"params", ""},
                                                       {"published_params", ""},
                                                       {"published_active_params", ""},
                                                       {"source", "s"}};
  for (const auto& [name, cell] : cells) {
    header += (header.empty() ? "" : ",") + std::string(name);
    row += (name == std::string("name") ? "" : ",") + (name == column ? value : std::string(cell));
  }
  return header + "\n" + row + "\n";
}

TEST(Models, ATableOfOnesOwnIsRead) {
  const auto models = parse_models(table_with("ffn_dim", "24"), "mine.csv");
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].ffn_dim, 24);
  EXPECT_EQ(parameter_count(models[0]),
            32 * 16 + 16 + 2 * (2 * 16 * 16 + 2 * 8 * 16 + 3 * 16 * 24 + 32));
}

TEST(Models, BadCellsAreErrorsThatNameThem) {
  const std::pair<const char*, const char*> bad[] = {
      {"layers", "0"},          {"layers", "-1"},
      {"layers", "2.5"},        {"layers", ""},
      {"d_model", "x"},         {"heads", "99999999999999999999"},
      {"kv_heads", "3"},        {"head_dim", "0"},
      {"norm", "rms"},          {"activation", "relu"},
      {"tied_embeddings", "2"}, {"rope_theta", "nan"},
      {"rope_theta", "inf"},    {"rotary_dim", "3"},
      {"rotary_dim", "8"},      {"moe_experts", "8"},
      {"vocab", "1"},           {"max_context", "0"},
      {"sliding_window", "16"}, {"name", ""}};
  for (const auto& [column, value] : bad) {
    const std::string message =
        message_of([&] { parse_models(table_with(column, value), "mine.csv"); });
    EXPECT_THAT(message, HasSubstr("mine.csv:2")) << column;
    EXPECT_THAT(message, HasSubstr("accepted: ")) << column;
  }
  message_of([] { parse_models("name,family\na,b\n", "mine.csv"); });
  message_of([] { parse_models("", "mine.csv"); });
  std::string extra = table_with("ffn_dim", "8");
  extra.insert(extra.find('\n'), ",colour").insert(extra.size() - 1, ",red");
  EXPECT_THAT(message_of([&] { parse_models(extra, "mine.csv"); }), HasSubstr("'colour'"));
  const std::string once = table_with("ffn_dim", "8");
  const std::string row = once.substr(once.find('\n') + 1);
  EXPECT_THAT(message_of([&] { parse_models(once + row, "mine.csv"); }),
              AllOf(HasSubstr("mine.csv:3"), HasSubstr("twice")));
  message_of([&] { parse_models(once + "a,b\n", "mine.csv"); });
}

}  // namespace
}  // namespace ridgepoint::workloads
