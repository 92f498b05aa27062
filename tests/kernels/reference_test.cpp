// SPDX-License-Identifier: Apache-2.0
// The plain references against definitions in double, and against what must hold for them: a
// rotation keeps lengths, a paged cache is a contiguous one, softmax weights sum to one.
#include "kernels/activation/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/attention/reference.hpp"
#include "kernels/embedding/reference.hpp"
#include "kernels/kv_append/reference.hpp"
#include "kernels/linear/reference.hpp"
#include "kernels/norm/reference.hpp"
#include "kernels/residual/reference.hpp"
#include "kernels/rope/reference.hpp"
#include "sim/core/error.hpp"
#include "sim/core/random.hpp"

namespace ridgepoint::kernels {
namespace {

using Values = std::vector<float>;
constexpr double kUnit = 0x1p-24;  // half an ulp of fp32 around 1

Values random_values(std::int64_t count, std::uint64_t seed) {
  core::SplitMix64 random(seed);
  Values values(static_cast<std::size_t>(count));
  for (float& value : values) value = random.symmetric();
  return values;
}

TEST(EmbeddingReference, CopiesRowsAndRefusesOtherTokens) {
  const Values table{0, 1, 10, 11, 20, 21};
  Values out(6);
  embedding_reference(table, std::vector<std::int32_t>{2, 0, 2}, 2, out);
  EXPECT_EQ(out, (Values{20, 21, 0, 1, 20, 21}));
  EXPECT_THROW(embedding_reference(table, std::vector<std::int32_t>{3, 0, 0}, 2, out),
               core::CheckError);
  EXPECT_THROW(embedding_reference(table, std::vector<std::int32_t>{-1, 0, 0}, 2, out),
               core::CheckError);
  EXPECT_THROW(embedding_reference(table, std::vector<std::int32_t>{1}, 2, out), core::CheckError);
  add_positions_reference(table, 0, 2, out);
  EXPECT_EQ(out, (Values{20, 22, 10, 12, 40, 42}));
  EXPECT_THROW(add_positions_reference(table, 1, 2, out), core::CheckError);
}

TEST(LinearReference, IsWithinTheRoundingBoundOfDouble) {
  for (const std::int64_t k : {1, 3, 64, 172}) {
    const std::int64_t m = 3;
    const std::int64_t n = 5;
    const Values x = random_values(m * k, 1);
    const Values w = random_values(n * k, 2);
    const Values bias = random_values(n, 3);
    Values y(static_cast<std::size_t>(m * n));
    linear_reference(x, w, bias, k, y);
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t col = 0; col < n; ++col) {
        double exact = bias[static_cast<std::size_t>(col)];
        double magnitude = std::fabs(exact);
        for (std::int64_t i = 0; i < k; ++i) {
          const double product = double{x[static_cast<std::size_t>(row * k + i)]} *
                                 double{w[static_cast<std::size_t>(col * k + i)]};
          exact += product;
          magnitude += std::fabs(product);
        }
        const double bound = static_cast<double>(k + 2) * kUnit * magnitude;
        EXPECT_NEAR(y[static_cast<std::size_t>(row * n + col)], exact, bound);
      }
    }
  }
}

TEST(LinearReference, ARowDoesNotDependOnTheOthers) {
  const Values x = random_values(4 * 33, 1);
  const Values w = random_values(7 * 33, 2);
  Values all(28);
  linear_reference(x, w, {}, 33, all);
  for (std::size_t row = 0; row < 4; ++row) {
    Values one(7);
    linear_reference(std::span(x).subspan(row * 33, 33), w, {}, 33, one);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<long>(row) * 7));
  }
  Values wrong(27);
  EXPECT_THROW(linear_reference(x, w, {}, 33, wrong), core::CheckError);
  EXPECT_THROW(linear_reference(x, w, Values(6), 33, all), core::CheckError);
}

TEST(NormReference, RmsIsOneAndMeanIsZero) {
  const std::int64_t d = 48;
  const Values x = random_values(2 * d, 4);
  const Values ones(static_cast<std::size_t>(d), 1.0f);
  const Values half(static_cast<std::size_t>(d), 0.5f);
  Values rms(x.size());
  Values layer(x.size());
  rmsnorm_reference(x, ones, 0, rms);
  layernorm_reference(x, ones, half, 0, layer);
  for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(d)) {
    double squares = 0;
    double mean = 0;
    double variance = 0;
    for (std::size_t i = row; i < row + static_cast<std::size_t>(d); ++i) {
      squares += double{rms[i]} * double{rms[i]};
      mean += double{layer[i]} - 0.5;
      variance += (double{layer[i]} - 0.5) * (double{layer[i]} - 0.5);
    }
    EXPECT_NEAR(squares / static_cast<double>(d), 1, 64 * kUnit);
    EXPECT_NEAR(mean / static_cast<double>(d), 0, 64 * kUnit);
    EXPECT_NEAR(variance / static_cast<double>(d), 1, 64 * kUnit);
  }
  Values zeros(static_cast<std::size_t>(d));
  rmsnorm_reference(zeros, ones, 1e-5f, zeros);
  EXPECT_EQ(zeros, Values(static_cast<std::size_t>(d)));  // eps keeps it finite
}

double dot(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(RopeReference, KeepsLengthsAndDependsOnDistanceOnly) {
  const std::int64_t width = 8;
  const Values table = make_rope_table(10000, width, 300);
  const Values q = random_values(width, 5);
  const Values k = random_values(width, 6);
  const auto turned = [&](Values x, std::int64_t position) {
    rope_reference(x, 1, width, width, position, table);
    return x;
  };
  EXPECT_EQ(turned(q, 0), q);
  for (const std::int64_t shift : {1, 17, 250}) {
    EXPECT_NEAR(dot(turned(q, shift), turned(q, shift)), dot(q, q), 1e-6);
    EXPECT_NEAR(dot(turned(q, 40), turned(k, 33)), dot(turned(q, 7 + shift), turned(k, shift)),
                1e-6);
  }
  EXPECT_GT(std::fabs(dot(turned(q, 40), turned(k, 33)) - dot(turned(q, 40), turned(k, 32))), 1e-3);
  EXPECT_THROW(turned(q, 300), core::CheckError);
}

TEST(RopeReference, PairsAreNeighboursAndTheRestStays) {
  const Values table = make_rope_table(10000, 4, 4);
  Values x{1, 0, 1, 0, 7, 9};  // one head of 6, of which 4 turn
  rope_reference(x, 1, 6, 4, 3, table);
  EXPECT_FLOAT_EQ(x[0], static_cast<float>(std::cos(3.0)));
  EXPECT_FLOAT_EQ(x[1], static_cast<float>(std::sin(3.0)));
  EXPECT_FLOAT_EQ(x[2], static_cast<float>(std::cos(3.0 / 100)));
  EXPECT_FLOAT_EQ(x[3], static_cast<float>(std::sin(3.0 / 100)));
  EXPECT_EQ(x[4], 7);
  EXPECT_EQ(x[5], 9);
}

struct CacheFixture {
  static constexpr std::int64_t kTokens = 21;
  static constexpr std::int64_t kKvHeads = 2;
  static constexpr std::int64_t kHeads = 6;
  static constexpr std::int64_t kDim = 4;
  Values k = random_values(kTokens * kKvHeads * kDim, 10);
  Values v = random_values(kTokens * kKvHeads * kDim, 11);
  Values q = random_values(kTokens * kHeads * kDim, 12);
  ConstReferenceCache contiguous() const { return {k, v, kKvHeads, kDim, 0, {}}; }
};

TEST(KvReference, PagedIsContiguousBitForBit) {
  const CacheFixture f;
  const std::vector<std::int32_t> blocks{5, 0, 3, 6, 1, 2};  // of 4 tokens
  Values k(7 * 4 * 8, std::nanf(""));                        // what is not written must not be read
  Values v(7 * 4 * 8, std::nanf(""));
  const ReferenceCache paged{k, v, f.kKvHeads, f.kDim, 4, blocks};
  const std::size_t width = f.kKvHeads * f.kDim;
  for (std::size_t t = 0; t < f.kTokens; t += 5) {  // in pieces that cross blocks
    const std::size_t count = std::min<std::size_t>(5, f.kTokens - t);
    kv_append_reference(std::span(f.k).subspan(t * width, count * width),
                        std::span(f.v).subspan(t * width, count * width),
                        static_cast<std::int64_t>(t), paged);
  }
  Values a(f.q.size());
  Values b(f.q.size());
  attention_reference(f.q, f.kHeads, 0, 0, f.contiguous(), a);
  attention_reference(f.q, f.kHeads, 0, 0, as_const(paged), b);
  EXPECT_EQ(a, b);
  EXPECT_THROW(
      kv_append_reference(std::span(f.k).first(width), std::span(f.v).first(width), 24, paged),
      core::CheckError);
}

TEST(AttentionReference, DecodeIsTheLastRowOfPrefillBitForBit) {
  const CacheFixture f;
  Values prefill(f.q.size());
  attention_reference(f.q, f.kHeads, 0, 0, f.contiguous(), prefill);
  const std::size_t width = f.kHeads * f.kDim;
  for (std::size_t m = 0; m < f.kTokens; ++m) {
    Values decode(width);
    attention_reference(std::span(f.q).subspan(m * width, width), f.kHeads,
                        static_cast<std::int64_t>(m), 0, f.contiguous(), decode);
    EXPECT_TRUE(
        std::equal(decode.begin(), decode.end(), prefill.begin() + static_cast<long>(m * width)));
  }
}

// The definition in double, for one row and head; the window as a mask.
Values exact_attention(const CacheFixture& f, std::int64_t m, std::int64_t head,
                       std::int64_t window) {
  const std::int64_t group = f.kHeads / f.kKvHeads;
  std::vector<double> weight;
  double total = 0;
  for (std::int64_t t = 0; t <= m; ++t) {
    const std::size_t at = static_cast<std::size_t>(t * f.kKvHeads + head / group) * f.kDim;
    const std::size_t row = static_cast<std::size_t>(m * f.kHeads + head) * f.kDim;
    double score = 0;
    for (std::size_t i = 0; i < f.kDim; ++i) score += double{f.q[row + i]} * double{f.k[at + i]};
    const bool hidden = window > 0 && t + window <= m;
    weight.push_back(hidden ? 0 : std::exp(score / 2));  // sqrt(head_dim) = 2
    total += weight.back();
  }
  Values out;
  for (std::size_t i = 0; i < f.kDim; ++i) {
    double sum = 0;
    for (std::int64_t t = 0; t <= m; ++t) {
      const std::size_t at = static_cast<std::size_t>(t * f.kKvHeads + head / group) * f.kDim;
      sum += weight[static_cast<std::size_t>(t)] / total * double{f.v[at + i]};
    }
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

TEST(AttentionReference, IsTheDefinitionWithAndWithoutAWindow) {
  const CacheFixture f;
  for (const std::int64_t window : {0, 1, 4, 21}) {
    Values out(f.q.size());
    attention_reference(f.q, f.kHeads, 0, window, f.contiguous(), out);
    for (std::int64_t m = 0; m < f.kTokens; ++m) {
      for (std::int64_t head = 0; head < f.kHeads; ++head) {
        const Values exact = exact_attention(f, m, head, window);
        for (std::size_t i = 0; i < f.kDim; ++i) {
          const auto at = static_cast<std::size_t>(m * f.kHeads + head) * f.kDim + i;
          EXPECT_NEAR(out[at], exact[i], 1e-6) << "row " << m << " head " << head;
        }
      }
    }
  }
}

TEST(ActivationReference, ValuesOfTheDefinitions) {
  const Values x{-30, -1, 0, 0.5f, 3, 30};
  const Values up{2, 2, 2, 2, 2, 2};
  Values swiglu(6);
  Values gelu(6);
  Values geglu(6);
  swiglu_reference(x, up, swiglu);
  gelu_reference(x, gelu);
  geglu_reference(x, up, geglu);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    EXPECT_NEAR(swiglu[i], 2 * v / (1 + std::exp(-v)), 1e-5);
    // The tanh form is within 5e-4 of x·Phi(x).
    EXPECT_NEAR(gelu[i], v * 0.5 * std::erfc(-v / std::sqrt(2.0)), 5e-4);
    EXPECT_EQ(geglu[i], gelu[i] * 2);
  }
  EXPECT_THROW(swiglu_reference(x, up, std::span(swiglu).first(5)), core::CheckError);
}

TEST(ResidualReference, Adds) {
  Values x{1, 2, 3};
  residual_reference(x, Values{10, 20, 30});
  EXPECT_EQ(x, (Values{11, 22, 33}));
  EXPECT_THROW(residual_reference(x, Values{1}), core::CheckError);
}

}  // namespace
}  // namespace ridgepoint::kernels
