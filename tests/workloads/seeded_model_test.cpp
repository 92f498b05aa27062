// SPDX-License-Identifier: Apache-2.0
// The model made from a seed: the same bits everywhere, of the right sizes and spread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sim/core/error.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/loaded_model.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/step/placement.hpp"

namespace ridgepoint::workloads {
namespace {

// FNV-1a over all bytes.
std::uint64_t hash_of(const LoadedModel& model) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const Tensor& tensor : model.tensors) {
    for (const std::byte byte : tensor.bytes) {
      hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
    }
  }
  return hash;
}

TEST(SeededModel, SameSeedSameBits) {
  const ModelShape& toy = find_model("toy-2x16");
  EXPECT_EQ(hash_of(make_seeded_model(toy, 1)), hash_of(make_seeded_model(toy, 1)));
  EXPECT_NE(hash_of(make_seeded_model(toy, 1)), hash_of(make_seeded_model(toy, 2)));
  // Recorded once; it moves only if the generator does.
  EXPECT_EQ(hash_of(make_seeded_model(toy, 1)), 6831265039778224869u);
}

TEST(SeededModel, HoldsEveryParameterOfTheShape) {
  for (const char* name : {"toy-2x16", "stories260K", "gpt2-small", "qwen3-0.6b"}) {
    ModelShape shape = find_model(name);
    shape.layers = std::min<std::int64_t>(shape.layers, 2);
    shape.vocab = std::min<std::int64_t>(shape.vocab, 512);
    const LoadedModel model = make_seeded_model(shape, 3);
    std::int64_t numbers = 0;
    for (const Tensor& tensor : model.tensors) {
      EXPECT_EQ(tensor.bytes.size(), static_cast<std::size_t>(tensor.size()) * 4);
      numbers += tensor.size();
    }
    EXPECT_EQ(numbers, parameter_count(shape)) << name;
  }
}

TEST(SeededModel, MatricesHaveVarianceOneOverColumns) {
  const LoadedModel model = make_seeded_model(find_model("stories260K"), 5);
  for (const char* name : {"embedding", "layers.0.gate", "layers.3.down"}) {
    const Tensor& tensor = model.tensor(name);
    double sum = 0;
    double squares = 0;
    for (const float value : tensor.floats()) {
      EXPECT_LE(std::fabs(value), std::sqrt(3.0 / static_cast<double>(tensor.cols)));
      sum += value;
      squares += double{value} * double{value};
    }
    const auto n = static_cast<double>(tensor.size());
    // Six standard errors of a uniform distribution's variance (0.894/sqrt(n)) and mean.
    EXPECT_NEAR(squares / n * static_cast<double>(tensor.cols), 1.0, 6 * 0.9 / std::sqrt(n))
        << name;
    EXPECT_NEAR(sum / n * std::sqrt(static_cast<double>(tensor.cols)), 0, 6 / std::sqrt(n)) << name;
  }
}

TEST(SeededModel, ConversionRoundsAndComesBack) {
  const LoadedModel model = make_seeded_model(find_model("toy-2x16"), 1);
  const LoadedModel half = converted(model, core::DType::kFp16);
  const LoadedModel back = converted(half, core::DType::kFp32);
  for (std::size_t t = 0; t < model.tensors.size(); ++t) {
    EXPECT_EQ(half.tensors[t].bytes.size() * 2, model.tensors[t].bytes.size());
    const auto x = model.tensors[t].floats();
    const auto y = back.tensors[t].floats();
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(y[i], core::float_from_fp16(core::fp16_from_float(x[i])));
    }
  }
  EXPECT_THROW(converted(model, core::DType::kInt8), core::CheckError);
  EXPECT_THROW(half.tensors[0].floats(), core::CheckError);
  EXPECT_THROW(model.tensor("layers.9.q"), core::CheckError);
}

// The whole need is said, and before values and a large cache take the host's memory.
TEST(SeededModel, WhatDoesNotFitSaysHowMuchItNeeds) {
  PlacementSpec spec;
  spec.memory_bytes = std::uint64_t{1} << 20;
  spec.kv_blocks = std::int64_t{1} << 34;  // 16 TiB in two layers of keys and values of 16 x 16
  try {
    const Placement placement(make_seeded_model(find_model("toy-2x16"), 1), spec);
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("does not fit the memory of 1.00 MiB: it needs "));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("KV cache 32768.00 GiB, activations "));
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
