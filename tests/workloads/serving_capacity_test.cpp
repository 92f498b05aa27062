// SPDX-License-Identifier: Apache-2.0
// Capacity arithmetic against published and hand-computed figures.
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/serving/capacity.hpp"
#include "workloads/traces/open.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kGiB); }

TEST(Capacity, EightyGibibytesWithAndWithoutGroupedHeads) {
  ModelShape shape = find_model("llama-2-7b");
  const CapacityInput input{.memory_bytes = 80 * kGiB, .context_tokens = 8192};
  const Capacity dense = naive_capacity(shape, input);
  EXPECT_NEAR(gib(dense.weight_bytes), 12.6, 0.05);
  EXPECT_DOUBLE_EQ(gib(dense.kv_bytes_per_request), 4.0);
  EXPECT_EQ(dense.max_requests, 16);
  EXPECT_EQ(dense.limit, Limit::kCache);

  shape.kv_heads = 8;
  const Capacity grouped = naive_capacity(shape, input);
  EXPECT_NEAR(gib(grouped.weight_bytes), 11.1, 0.05);
  EXPECT_DOUBLE_EQ(gib(grouped.kv_bytes_per_request), 1.0);
  EXPECT_EQ(grouped.max_requests, 68);
}

struct Published {
  const char* model;
  double gigabytes;  // decimal
  std::int64_t at_2048, at_8192, at_32768;
};

TEST(Capacity, KvLimitedSequences) {
  // floor((0.9 * memory - weights) / (cache per token * S)): no blocks, no activations.
  for (const Published& row :
       {Published{"llama-2-7b", 80, 54, 13, 3}, Published{"llama-3-8b", 80, 208, 52, 13},
        Published{"llama-3-8b", 24, 20, 5, 1}, Published{"llama-3-70b", 192, 47, 11, 2},
        Published{"qwen2.5-7b", 80, 483, 120, 30}}) {
    const auto requests = [&](std::int64_t context) {
      return naive_capacity(find_model(row.model),
                            {.memory_bytes = static_cast<std::int64_t>(row.gigabytes * 0.9e9),
                             .context_tokens = context})
          .max_requests;
    };
    EXPECT_EQ(requests(2048), row.at_2048) << row.model;
    EXPECT_EQ(requests(8192), row.at_8192) << row.model;
    EXPECT_EQ(requests(32768), row.at_32768) << row.model;
  }
}

TEST(Capacity, BlocksAreExactWhenTheOverheadsAreGiven) {
  // A public engine derived 7,449 blocks for Llama-2-7B on an 80 GB A100 at 0.9: what it did not
  // give to weights and blocks is the overhead, and handing that over must give its count back.
  const ModelShape& shape = find_model("llama-2-7b");
  CapacityInput input{.memory_bytes = 85'000'000'000, .context_tokens = 4096};
  const std::int64_t block = 16 * 2 * 32 * 32 * 128 * 2;
  const Capacity without = realistic_capacity(shape, input);
  input.overhead_bytes = without.kv_pool_bytes - 7449 * block - block / 2;
  const Capacity capacity = realistic_capacity(shape, input);
  EXPECT_EQ(capacity.kv_blocks, 7449);
  EXPECT_EQ(capacity.max_requests, 7448 / 256);
  EXPECT_EQ(capacity.kv_pool_bytes, 76'500'000'000 - capacity.weight_bytes -
                                        capacity.activation_bytes - input.overhead_bytes);
}

TEST(Capacity, RealisticIsNeverMoreThanNaive) {
  for (const ModelShape& shape : all_models()) {
    for (const std::int64_t context : {1, 17, 2048, 100'000}) {
      const CapacityInput input{.memory_bytes = 80 * kGiB, .context_tokens = context};
      const Capacity naive = naive_capacity(shape, input);
      const Capacity real = realistic_capacity(shape, input);
      EXPECT_LE(real.max_requests, naive.max_requests) << shape.name;
      EXPECT_LE(real.kv_pool_bytes, naive.kv_pool_bytes) << shape.name;
    }
  }
}

TEST(Capacity, LimitsAreNamed) {
  const ModelShape& shape = find_model("llama-2-7b");
  EXPECT_EQ(naive_capacity(shape, {.memory_bytes = 10 * kGiB, .context_tokens = 100}).limit,
            Limit::kWeights);
  const Capacity few = realistic_capacity(
      shape, {.memory_bytes = 80 * kGiB, .context_tokens = 16, .max_num_seqs = 7});
  EXPECT_EQ(few.limit, Limit::kSequences);
  EXPECT_EQ(few.max_requests, 7);
}

TEST(Capacity, ActivationPeakByHand) {
  // Llama-2-7B, 2 bytes: 2*4096 + 2*11008 = 30,208 numbers per row; fp32 logits of 32,000.
  EXPECT_EQ(activation_peak_bytes(find_model("llama-2-7b"), core::DType::kFp16, 100, 3),
            100 * 30'208 * 2 + 3 * 32'000 * 4);
}

TEST(Capacity, BadInputsAreRefused) {
  const ModelShape& shape = find_model("llama-2-7b");
  const CapacityInput good{.memory_bytes = kGiB, .context_tokens = 1};
  const auto refused = [&](auto change) {
    CapacityInput input = good;
    change(input);
    EXPECT_THROW(realistic_capacity(shape, input), core::InputError);
  };
  refused([](CapacityInput& input) { input.memory_bytes = 0; });
  refused([](CapacityInput& input) { input.context_tokens = 0; });
  refused([](CapacityInput& input) { input.utilization = 1.1; });
  refused([](CapacityInput& input) { input.overhead_bytes = -1; });
  refused([](CapacityInput& input) { input.block_tokens = 0; });
}

TEST(Footprint, OneRequestByHand) {
  // 15 prompt tokens, 3 outputs: held 15, 16, 17; paged blocks of 16: 16, 16, 32 slots.
  const auto trace = [] {
    return open_trace_lines(core::TextLines::from_text(
        "t", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,15,3\n"));
  };
  KvOptions options;
  const Footprint paged = trace_footprint(*trace(), find_kv_policy("paged"), options);
  EXPECT_DOUBLE_EQ(paged.used_slots, 48);
  EXPECT_DOUBLE_EQ(paged.allocated_slots, 64);
  EXPECT_DOUBLE_EQ(paged.running(9, 16), 8 * 16 * 3 / 64.0);
  EXPECT_DOUBLE_EQ(trace_footprint(*trace(), find_kv_policy("pow2"), options).allocated_slots, 96);
  options.reserve_tokens = 17;
  EXPECT_EQ(trace_footprint(*trace(), find_kv_policy("max-length"), options).too_long, 0u);
  options.reserve_tokens = 16;
  EXPECT_EQ(trace_footprint(*trace(), find_kv_policy("max-length"), options).too_long, 1u);
}

TEST(Footprint, AzureTracesByPolicy) {
  const std::string conv = "traces/AzureLLMInferenceTrace_conv.csv";
  const std::string code = "traces/AzureLLMInferenceTrace_code.csv";
  RIDGEPOINT_NEED_SHARED(conv);
  const auto of = [](const std::string& file, const char* policy) {
    const auto trace = open_trace(testing_files::shared_file(file));
    return trace_footprint(*trace, find_kv_policy(policy), {});
  };
  EXPECT_NEAR(of(conv, "paged").running(7449, 16), 97, 2);
  EXPECT_NEAR(of(code, "paged").running(7449, 16), 56, 2);
  EXPECT_NEAR(of(conv, "max-length").running(7449, 16), 29, 2);
  EXPECT_NEAR(of(code, "max-length").running(7449, 16), 29, 2);
  EXPECT_NEAR(100 * of(conv, "oracle").used_ratio(), 87.9, 1);
  EXPECT_NEAR(100 * of(code, "pow2").used_ratio(), 69.9, 1);
}

}  // namespace
}  // namespace ridgepoint::workloads
