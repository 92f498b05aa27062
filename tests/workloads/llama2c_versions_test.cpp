// SPDX-License-Identifier: Apache-2.0
// llama2.c versions 0 (untied), 1 and 2, written here from a seeded model and read back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sim/core/error.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"

namespace ridgepoint::workloads {
namespace {

using testing_files::TempFile;

const LoadedModel& toy() {
  static const LoadedModel kModel = make_seeded_model(find_model("toy-2x16"), 7);
  return kModel;
}

template <typename Number>
void append(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_sizes(std::string& out, const ModelShape& s, std::int64_t vocab) {
  for (const std::int64_t size :
       {s.d_model, s.ffn_dim, s.layers, s.heads, s.kv_heads, vocab, s.max_context}) {
    append(out, static_cast<std::int32_t>(size));
  }
}

void append_tensor(std::string& out, const Tensor& tensor) {
  out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
}

void append_part(std::string& out, const LoadedModel& model, const char* part) {
  for (std::int64_t i = 0; i < model.shape.layers; ++i) append_tensor(out, model.layer(i, part));
}

// int8 groups: the largest magnitude of each group becomes 127. `restored` collects what a reader
// must compute.
void append_groups(std::string& out, const Tensor& tensor, std::size_t group, Tensor& restored) {
  const auto values = tensor.floats();
  std::string scales;
  for (std::size_t begin = 0; begin < values.size(); begin += group) {
    float largest = 0;
    for (std::size_t i = 0; i < group; ++i)
      largest = std::max(largest, std::fabs(values[begin + i]));
    const float scale = largest / 127;
    append(scales, scale);
    for (std::size_t i = 0; i < group; ++i) {
      const auto quant = static_cast<std::int8_t>(std::lround(values[begin + i] / scale));
      append(out, quant);
      restored.mutable_floats()[begin + i] = static_cast<float>(quant) * scale;
    }
  }
  out += scales;
}

std::string version_header(int version, std::int32_t group) {
  std::string out;
  append(out, std::uint32_t{0x616b3432});
  append(out, static_cast<std::int32_t>(version));
  append_sizes(out, toy().shape, toy().shape.vocab);
  append(out, std::uint8_t{0});
  if (version == 2) append(out, group);
  out.resize(256, '\0');
  for (const char* part : {"attn_norm", "ffn_norm"}) append_part(out, toy(), part);
  append_tensor(out, toy().tensor("final_norm"));
  return out;
}

std::string version_0() {
  std::string out;
  append_sizes(out, toy().shape, -toy().shape.vocab);
  append_tensor(out, toy().tensor("embedding"));
  for (const char* part : {"attn_norm", "q", "k", "v", "o", "ffn_norm", "gate", "down", "up"}) {
    append_part(out, toy(), part);
  }
  append_tensor(out, toy().tensor("final_norm"));
  out.append(static_cast<std::size_t>(toy().shape.max_context * toy().shape.head_dim * 4), '\0');
  append_tensor(out, toy().tensor("lm_head"));
  return out;
}

std::string version_1() {
  std::string out = version_header(1, 0);
  append_tensor(out, toy().tensor("embedding"));
  for (const char* part : {"q", "k", "v", "o", "gate", "down", "up"}) append_part(out, toy(), part);
  append_tensor(out, toy().tensor("lm_head"));
  return out;
}

std::string version_2(std::size_t group, LoadedModel& restored) {
  restored = toy();
  std::string out = version_header(2, static_cast<std::int32_t>(group));
  const auto add = [&](const std::string& name) {
    for (Tensor& tensor : restored.tensors) {
      if (tensor.name == name) append_groups(out, toy().tensor(name), group, tensor);
    }
  };
  add("embedding");
  for (const char* part : {"q", "k", "v", "o", "gate", "down", "up"}) {
    for (std::int64_t i = 0; i < toy().shape.layers; ++i) add(layer_tensor(i, part));
  }
  add("lm_head");
  return out;
}

void expect_equal(const LoadedModel& is, const LoadedModel& should) {
  ASSERT_EQ(is.tensors.size(), should.tensors.size());
  for (std::size_t t = 0; t < is.tensors.size(); ++t) {
    EXPECT_EQ(is.tensors[t].name, should.tensors[t].name);
    EXPECT_TRUE(is.tensors[t].bytes == should.tensors[t].bytes) << is.tensors[t].name;
  }
}

TEST(Llama2cVersions, UntiedVersion0) {
  const TempFile file("v0.bin", version_0());
  expect_equal(load_weights(file.path()), toy());
}

TEST(Llama2cVersions, Version1) {
  const TempFile file("v1.bin", version_1());
  const LoadedModel model = load_weights(file.path(), &find_model("toy-2x16"));
  EXPECT_EQ(model.shape.name, "toy-2x16");
  expect_equal(model, toy());
}

TEST(Llama2cVersions, Version2RestoresGroupTimesScale) {
  for (const std::size_t group : {4u, 8u, 16u}) {
    LoadedModel restored;
    const TempFile file("v2.bin", version_2(group, restored));
    const LoadedModel model = load_weights(file.path());
    expect_equal(model, restored);
    EXPECT_EQ(model.tensor("layers.1.down").stored_as,
              "int8 in groups of " + std::to_string(group));
  }
}

TEST(Llama2cVersions, DamageIsAnError) {
  LoadedModel restored;
  for (const std::string& good : {version_0(), version_1(), version_2(16, restored)}) {
    const TempFile file("versions.bin", good);
    for (std::size_t at = 0; at < 256; ++at) {
      for (const int flip : {1, 64, 255}) {
        file.put(at, static_cast<char>(good[at] ^ flip));
        const bool versioned = good[0] == '\x32';
        try {
          const LoadedModel model = load_weights(file.path());
          EXPECT_EQ(model.tensors.size(), toy().tensors.size());
          // Only seq_len of versions 1 and 2 has no influence on the file's size.
          EXPECT_TRUE(!versioned || (at >= 32 && at < 36) || (at >= 20 && at < 28))
              << "at " << at << " flip " << flip;
        } catch (const core::InputError&) {
        }
      }
      file.put(at, good[at]);
    }
    for (std::size_t cut = good.size() - 1; cut > 300; cut -= 211) {
      std::filesystem::resize_file(file.path(), cut);
      EXPECT_THROW(load_weights(file.path()), core::InputError) << cut;
    }
  }
}

TEST(Llama2cVersions, GroupMustDivideTheTensor) {
  LoadedModel restored;
  std::string bytes = version_2(16, restored);
  const std::int32_t group = 7;
  std::memcpy(&bytes[37], &group, sizeof group);
  const TempFile file("group.bin", bytes);
  EXPECT_THROW(load_weights(file.path()), core::InputError);
}

}  // namespace
}  // namespace ridgepoint::workloads
