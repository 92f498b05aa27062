// SPDX-License-Identifier: Apache-2.0
// The seed's figures. Committed tables are remade in tests/robustness/suites_test.cpp.
#include "tests/fidelity/command.hpp"

namespace ridgepoint {
namespace {

// The figures the project is known by, from the product's own commands.
TEST(Seed, CapacityOfEightyGibibytes) {
  const auto mha =
      testing_command::row_of({"plan", "--quiet", "--model", "llama-2-7b", "--context", "8192"});
  const auto gqa = testing_command::row_of(
      {"plan", "--quiet", "--model", "llama-2-7b-gqa8", "--context", "8192"});
  constexpr double kGib = 1024.0 * 1024 * 1024;
  EXPECT_NEAR(testing_command::number(mha, "weight_bytes") / kGib, 12.6, 0.05);
  EXPECT_NEAR(testing_command::number(gqa, "weight_bytes") / kGib, 11.1, 0.05);
  EXPECT_EQ(mha.at("max_requests_count"), "16");
  EXPECT_EQ(gqa.at("max_requests_count"), "68");
  EXPECT_EQ(testing_command::number(mha, "kv_bytes_per_request"), 4.0 * kGib);
  EXPECT_EQ(testing_command::number(gqa, "kv_bytes_per_request"), 1.0 * kGib);
  const auto gpt2 =
      testing_command::row_of({"plan", "--quiet", "--model", "gpt2-small", "--context", "1024"});
  EXPECT_EQ(testing_command::number(gpt2, "kv_bytes_per_request"), 36.0 * 1024 * 1024);
}

TEST(Seed, TheCacheSavesSevenTimes) {
  const std::vector<std::string> arguments{"generate",    "--quiet", "--prompt-tokens",
                                           "1,4,5,6,7,8", "--steps", "10"};
  const auto cached = testing_command::row_of(arguments);
  std::vector<std::string> without = arguments;
  without.emplace_back("--no-cache");
  const auto uncached = testing_command::row_of(without);
  EXPECT_EQ(cached.at("kv_multiply_adds_count"), "15360");
  EXPECT_EQ(uncached.at("kv_multiply_adds_count"), "107520");
  EXPECT_EQ(cached.at("cached_numbers_count"), "960");
  EXPECT_EQ(cached.at("generated_tokens"), uncached.at("generated_tokens"));
}

}  // namespace
}  // namespace ridgepoint
