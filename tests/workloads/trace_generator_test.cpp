// SPDX-License-Identifier: Apache-2.0
// Generators: moments, exact repetition, golden values that any machine must give, and files that
// read back as they were written.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "sim/core/error.hpp"
#include "workloads/traces/distribution.hpp"
#include "workloads/traces/generator.hpp"
#include "workloads/traces/info.hpp"
#include "workloads/traces/open.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

TEST(Random, FunctionsAgreeWithTheLibraryToAFewUlp) {
  for (const double x : {1e-300, 1e-9, 0.1, 0.5, 0.70710678, 0.99999, 1.0, 1.00001, 2.0, 1e9}) {
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  for (const double x : {-700.0, -20.0, -0.3, 0.0, 1e-9, 0.5, 1.0, 39.9, 700.0}) {
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-15) << x;
  }
}

TEST(Random, MomentsWithinFiveStandardErrors) {
  constexpr int kCount = 200'000;
  const double root = std::sqrt(static_cast<double>(kCount));
  Random random(7);
  double uniform = 0, exponential = 0, normal = 0, square = 0, gamma = 0, small = 0;
  for (int i = 0; i < kCount; ++i) {
    uniform += random.uniform();
    exponential += random.exponential();
    const double z = random.normal();
    normal += z;
    square += z * z;
    gamma += random.gamma(4);
    small += random.gamma(0.25);
  }
  EXPECT_NEAR(uniform / kCount, 0.5, 5 * 0.2887 / root);
  EXPECT_NEAR(exponential / kCount, 1, 5 / root);
  EXPECT_NEAR(normal / kCount, 0, 5 / root);
  EXPECT_NEAR(square / kCount, 1, 5 * 1.4142 / root);
  EXPECT_NEAR(gamma / kCount, 4, 5 * 2 / root);
  EXPECT_NEAR(small / kCount, 0.25, 5 * 0.5 / root);
}

TEST(Random, BelowIsUnbiasedAtAwkwardLimits) {
  Random random(3);
  std::array<int, 3> counts{};
  for (int i = 0; i < 30'000; ++i) ++counts[random.below(3)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * 82);
}

std::string text_of(const GeneratorSpec& spec, const char* format) {
  std::ostringstream out;
  write_trace(*make_generator(spec), format, out);
  return out.str();
}

GeneratorSpec chat() {
  GeneratorSpec spec;
  spec.seed = 42;
  spec.requests = 20'000;
  spec.rate_per_s = 5.5;
  spec.prompt = parse_length_spec("prompt", "lognormal:1155:0.95");
  spec.output = parse_length_spec("output", "fixed:211");
  return spec;
}

TEST(Generator, SameSeedSameBytesAndGoldenFirstRow) {
  GeneratorSpec spec = chat();
  spec.requests = 50;
  EXPECT_EQ(text_of(spec, "vidur"), text_of(spec, "vidur"));
  GeneratorSpec other = spec;
  other.seed = 43;
  EXPECT_NE(text_of(spec, "vidur"), text_of(other, "vidur"));
  // Recorded once; any change of the generator shows here.
  EXPECT_EQ(text_of(spec, "vidur").substr(0, 100),
            "arrived_at,num_prefill_tokens,num_decode_tokens\n"
            "0.000000000,1840,211\n0.002952170,1421,211\n0.09947233");
}

TEST(Generator, MomentsOfArrivalsAndLengths) {
  for (const double cv : {0.0, 0.5, 1.0, 2.0}) {
    GeneratorSpec spec = chat();
    spec.arrival_cv = cv;
    const TraceInfo info = analyse_trace(*make_generator(spec));
    const double root = std::sqrt(20'000.0);
    EXPECT_NEAR(info.requests_per_s(), 5.5, 5.5 * 5 * cv / root + 1e-3) << cv;
    EXPECT_NEAR(info.prompt_tokens.mean(), 1155, 1155 * 5 * 0.95 / root + 1) << cv;
    EXPECT_EQ(info.output_tokens.least(), 211);
    EXPECT_EQ(info.output_tokens.largest(), 211);
  }
}

TEST(Generator, EmpiricalPairsStayTogether) {
  GeneratorSpec spec = chat();
  spec.lengths = {{10, 1}, {20, 2}};
  const auto source = make_generator(spec);
  TraceRequest request;
  std::uint64_t first = 0;
  while (source->next(request)) {
    ASSERT_EQ(request.prompt_tokens, 10 * request.output_tokens);
    first += request.output_tokens == 1 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(first), 10'000, 5 * 71);
}

TEST(Generator, SharedPrefixesShowInTheInfo) {
  GeneratorSpec spec = chat();
  spec.requests = 1000;
  spec.prompt = parse_length_spec("prompt", "fixed:160");
  spec.prefix_tokens = 320;
  spec.prefix_groups = 4;
  const TraceInfo info = analyse_trace(*make_generator(spec));
  // 30 blocks each, 20 of them in the prefix; the first of every group finds nothing.
  EXPECT_EQ(info.blocks, 30'000u);
  EXPECT_EQ(info.shared_blocks, 20u * (1000 - 4));
}

TEST(Generator, FilesReadBackAsWritten) {
  for (const char* format : {"azure", "vidur", "mooncake", "bailian"}) {
    SCOPED_TRACE(format);
    GeneratorSpec spec = chat();
    spec.requests = 500;
    spec.resolution = format_resolution(format);
    const auto source = make_generator(spec);
    const auto back =
        open_trace_lines(core::TextLines::from_text("written", text_of(spec, format)));
    TraceRequest wrote;
    TraceRequest read;
    Nanoseconds first = -1;
    while (source->next(wrote)) {
      if (first < 0) first = wrote.arrival;
      ASSERT_TRUE(back->next(read));
      ASSERT_EQ(read.arrival, wrote.arrival - first);
      ASSERT_EQ(read.prompt_tokens, wrote.prompt_tokens);
      ASSERT_EQ(read.output_tokens, wrote.output_tokens);
    }
    EXPECT_FALSE(back->next(read));
  }
}

TEST(Generator, WhatAFormatCannotHoldIsRefused) {
  GeneratorSpec spec = chat();
  spec.requests = 10;
  std::ostringstream out;
  EXPECT_THROW(write_trace(*make_generator(spec), "mooncake", out), core::InputError);  // sub-ms
  EXPECT_THROW(write_trace(*make_generator(spec), "burstgpt", out), core::InputError);
  spec.prefix_tokens = 64;
  EXPECT_THROW(write_trace(*make_generator(spec), "vidur", out), core::InputError);  // ids
}

TEST(Generator, BadSpecsAreRefused) {
  for (const char* text : {"", "512", "fixed:", "fixed:x", "normal:1:2", "lognormal:5",
                           "lognormal:5:x", "fixed:nan", "fixed:1e999"}) {
    EXPECT_THROW(parse_length_spec("prompt", text), core::InputError) << text;
  }
  const auto refused = [](auto change) {
    GeneratorSpec spec = chat();
    change(spec);
    EXPECT_THROW(make_generator(spec), core::InputError);
  };
  refused([](GeneratorSpec& spec) { spec.requests = 0; });
  refused([](GeneratorSpec& spec) { spec.rate_per_s = 0; });
  refused([](GeneratorSpec& spec) { spec.arrival_cv = -1; });
  refused([](GeneratorSpec& spec) { spec.prompt.mean = 0; });
  refused([](GeneratorSpec& spec) { spec.prefix_share = 1.5; });
}

TEST(Generator, BuiltinTracesOpenByName) {
  for (const BuiltinTrace& builtin : builtin_traces()) {
    const TraceInfo info = analyse_trace(*open_trace(std::string(builtin.name)));
    EXPECT_EQ(info.requests, builtin.spec.requests);
    EXPECT_LE(info.prompt_tokens.largest(), 3'000 + builtin.spec.prefix_tokens);
  }
}

TEST(Distribution, ExactAndBucketedPercentiles) {
  Distribution few;
  for (int i = 1; i <= 100; ++i) few.add(101 - i);
  EXPECT_EQ(few.percentile(50), 50);
  EXPECT_EQ(few.percentile(99), 99);
  EXPECT_EQ(few.percentile(100), 100);
  EXPECT_EQ(few.percentile(0.5), 1);
  EXPECT_DOUBLE_EQ(few.mean(), 50.5);
  few.add(1000, 900);  // weighted
  EXPECT_EQ(few.percentile(11), 1000);

  Distribution many;  // more different values than are kept
  Random random(1);
  std::vector<std::int64_t> all;
  for (int i = 0; i < 3'000'000; ++i) {
    all.push_back(static_cast<std::int64_t>(random.below(std::uint64_t{1} << (i % 40))));
    many.add(all.back());
  }
  EXPECT_FALSE(many.exact());
  std::sort(all.begin(), all.end());
  for (const double percent : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9}) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * 3e6)) - 1;
    const auto exact = static_cast<double>(all[rank]);
    EXPECT_NEAR(static_cast<double>(many.percentile(percent)), exact, exact / 2048) << percent;
  }
  EXPECT_EQ(many.largest(), all.back());
}

}  // namespace
}  // namespace ridgepoint::workloads
