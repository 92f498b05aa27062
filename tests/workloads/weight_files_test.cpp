// SPDX-License-Identifier: Apache-2.0
// Real weight files: every format of one model gives the same tensors; damaged files are one-line
// errors, never a crash and never a silently different model.
#include "workloads/models/weight_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sim/core/error.hpp"
#include "tests/workloads/shared_files.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::workloads {
namespace {

using core::DType;
using testing::HasSubstr;
using testing::Not;
using testing_files::read_file;
using testing_files::shared_file;
using testing_files::TempFile;

const char* const kBin = "weights/stories260K.bin";

LoadedModel load(const std::string& relative) { return load_weights(shared_file(relative)); }

double worst_difference(const LoadedModel& a, const LoadedModel& b, double relative_to_largest) {
  double worst = 0;
  EXPECT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t t = 0; t < a.tensors.size(); ++t) {
    EXPECT_EQ(a.tensors[t].name, b.tensors[t].name);
    const auto x = to_floats(a.tensors[t]);
    const auto y = to_floats(b.tensors[t]);
    float largest = 0;
    for (const float value : x) largest = std::max(largest, std::fabs(value));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double scale = relative_to_largest != 0 ? double{largest} : 1.0;
      worst = std::max(worst, std::fabs(double{x[i]} - double{y[i]}) / scale);
    }
  }
  return worst;
}

void expect_same_bytes(const LoadedModel& a, const LoadedModel& b) {
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t t = 0; t < a.tensors.size(); ++t) {
    EXPECT_EQ(a.tensors[t].name, b.tensors[t].name);
    EXPECT_EQ(a.tensors[t].dtype, b.tensors[t].dtype);
    EXPECT_TRUE(a.tensors[t].bytes == b.tensors[t].bytes) << a.tensors[t].name;
  }
}

TEST(WeightFiles, TheHeaderGivesTheKnownShape) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const ModelShape& known = find_model("stories260K");
  for (const char* file : {"stories260K.bin", "stories260K-f32.gguf", "stories260K-f32.safetensors",
                           "stories260K-q4_0.gguf"}) {
    const LoadedModel model = load(std::string("weights/") + file);
    const ModelShape& s = model.shape;
    EXPECT_EQ(parameter_count(s), known.declared_params) << file;
    EXPECT_EQ(s.layers, 5);
    EXPECT_EQ(s.heads, 8);
    EXPECT_EQ(s.kv_heads, 4);
    EXPECT_EQ(s.head_dim, 8);
    EXPECT_EQ(s.vocab, 512);
    EXPECT_EQ(s.max_context, 512);
    EXPECT_TRUE(s.tied_embeddings);
    EXPECT_EQ(s.norm_eps, 1e-5);
    EXPECT_NO_THROW(load_weights(shared_file(std::string("weights/") + file), &known)) << file;
  }
}

TEST(WeightFiles, Fp32FormatsAgreeBitForBit) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const LoadedModel bin = load(kBin);
  expect_same_bytes(bin, load("weights/stories260K-f32.gguf"));
  expect_same_bytes(bin, load("weights/stories260K-f32.safetensors"));
}

TEST(WeightFiles, HalfFormatsAreTheRoundedFp32) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const LoadedModel bin = load(kBin);
  expect_same_bytes(converted(bin, DType::kBf16), load("weights/stories260K-bf16.safetensors"));
  // GGUF keeps the norms in fp32.
  const LoadedModel f16 = load("weights/stories260K-f16.gguf");
  const LoadedModel bf16 = load("weights/stories260K-bf16.gguf");
  expect_same_bytes(converted(bin, DType::kFp16), converted(f16, DType::kFp16));
  expect_same_bytes(converted(bin, DType::kBf16), converted(bf16, DType::kBf16));
  EXPECT_EQ(f16.tensor("embedding").dtype, DType::kFp16);
  EXPECT_EQ(f16.tensor("final_norm").dtype, DType::kFp32);
  EXPECT_EQ(bf16.tensor("layers.0.q").stored_as, "BF16");
}

// A block's step is its largest magnitude / 127 (Q8_0) or / 8 (Q4_0). Rounding loses half a step;
// Q4_0 reaches only 7 steps on one side, so a whole one there; the fp16 scale adds 2^-11.
TEST(WeightFiles, QuantisedFormatsAreWithinTheirStep) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const LoadedModel bin = load(kBin);
  const LoadedModel q8 = load("weights/stories260K-q8_0.gguf");
  const LoadedModel q4 = load("weights/stories260K-q4_0.gguf");
  EXPECT_LE(worst_difference(bin, q8, 1), 0.5 / 127 + 0x1p-11);
  EXPECT_LE(worst_difference(bin, q4, 1), 1.0 / 8 + 0x1p-11);
  EXPECT_GT(worst_difference(bin, q4, 1), worst_difference(bin, q8, 1));
  EXPECT_EQ(q8.tensor("layers.0.q").stored_as, "Q8_0");
  EXPECT_EQ(q4.tensor("layers.4.up").stored_as, "Q4_0");
  EXPECT_EQ(q4.tensor("layers.4.down").stored_as, "F32");  // 172 columns are not whole blocks
}

std::string error_of(const std::string& path, const ModelShape* expected = nullptr) {
  try {
    load_weights(path, expected);
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return {};
}

template <typename Number>
std::string patched(std::string bytes, std::size_t at, Number value) {
  std::memcpy(&bytes[at], &value, sizeof value);
  return bytes;
}

TEST(WeightFiles, WrongExpectationNamesTheSize) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const std::string message = error_of(shared_file(kBin), &find_model("smollm2-135m"));
  EXPECT_THAT(message, HasSubstr("'layers': value '5'"));
  EXPECT_THAT(message, HasSubstr("accepted: 30"));
  EXPECT_NE(error_of(shared_file("weights/stories260K-f32.safetensors"), &find_model("toy-2x16")),
            "");
}

TEST(WeightFiles, MissingFilesFoldersAndEmptyFilesAreErrors) {
  EXPECT_NE(error_of("no/such/file.bin"), "");
  EXPECT_NE(error_of(testing::TempDir()), "");
  for (const char* name : {"empty.bin", "empty.gguf", "empty.safetensors"}) {
    const TempFile file(name, "");
    EXPECT_NE(error_of(file.path()), "") << name;
  }
}

TEST(WeightFiles, Llama2cHeaderIsChecked) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const std::string good = read_file(shared_file(kBin));
  const TempFile file("bad.bin", good);
  EXPECT_EQ(error_of(file.path()), "");
  file.write(good + "x");
  EXPECT_THAT(error_of(file.path()), HasSubstr("file size"));
  const std::pair<std::size_t, std::int32_t> bad[] = {
      {0, 0},     {0, -64},     {0, 63},         {0, 0x7fffffff}, {4, -1},      {4, 171}, {8, 0},
      {8, 6},     {8, 1 << 30}, {12, 0},         {12, 7},         {16, 3},      {16, 9},  {20, 0},
      {20, -512}, {20, 511},    {20, INT32_MIN}, {24, 0},         {24, 1 << 30}};
  for (const auto& [at, value] : bad) {
    file.write(patched(good, at, value));
    EXPECT_NE(error_of(file.path()), "") << "at " << at << " value " << value;
  }
  file.write(patched(good, 28 + 400, std::nanf("")));
  EXPECT_THAT(error_of(file.path()), HasSubstr("embedding"));
}

TEST(WeightFiles, GgufHeaderIsChecked) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const std::string good = read_file(shared_file("weights/stories260K-f32.gguf"));
  const TempFile file("bad.gguf", good);
  EXPECT_EQ(error_of(file.path()), "");
  const auto refused = [&](const std::string& bytes, const char* word) {
    file.write(bytes);
    const std::string message = error_of(file.path());
    EXPECT_NE(message, "") << word;
    EXPECT_THAT(message, HasSubstr(word));
  };
  refused(patched(good, 0, 'X'), "magic");
  refused(patched(good, 4, std::uint32_t{2}), "version");
  refused(patched(good, 8, std::uint64_t{1} << 62), "tensor count");
  refused(patched(good, 8, std::uint64_t{46}), "output_norm");
  refused(patched(good, 16, ~std::uint64_t{0}), "key count");
  refused(patched(good, 24, ~std::uint64_t{0}), "key length");
  refused(good + std::string(64, '\0'), "file size");
  const std::size_t table = good.find("token_embd.weight") + 17;
  refused(patched(good, table, std::uint32_t{5}), "dimensions");
  refused(patched(good, table + 4, std::uint64_t{65}), "sizes");
  refused(patched(good, table + 12, std::uint64_t{513}), "");
  refused(patched(good, table + 20, std::uint32_t{3}), "type");
  refused(patched(good, table + 24, std::uint64_t{131072}), "");
  const std::size_t norm = good.find("blk.0.attn_norm.weight") + 22 + 4 + 8 + 4;
  refused(patched(good, norm, std::uint64_t{131040}), "overlaps");
  refused(patched(good, norm, std::uint64_t{131104}), "");
  std::string renamed = good;
  renamed.replace(renamed.find("blk.3.attn_q.weight"), 19, "blk.3.attn_z.weight");
  refused(renamed, "blk.3.attn_q.weight");
  renamed = good;
  renamed.replace(renamed.find("llama.block_count"), 17, "llama.block_kount");
  refused(renamed, "llama.block_count");
  renamed = good;
  renamed.replace(renamed.find("blk.1.attn_q.weight"), 19, "blk.0.attn_q.weight");
  refused(renamed, "twice");
}

// A safetensors file with another header and the same buffer.
std::string with_header(const std::string& good, const std::string& header) {
  std::uint64_t length = 0;
  std::memcpy(&length, good.data(), 8);
  std::string out(8, '\0');
  const std::uint64_t size = header.size();
  std::memcpy(out.data(), &size, 8);
  return out + header + good.substr(8 + length);
}

std::string header_of(const std::string& good) {
  std::uint64_t length = 0;
  std::memcpy(&length, good.data(), 8);
  return good.substr(8, length);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(WeightFiles, SafetensorsHeaderIsChecked) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const std::string good = read_file(shared_file("weights/stories260K-f32.safetensors"));
  const std::string header = header_of(good);
  const TempFile file("bad.safetensors", good);
  EXPECT_EQ(error_of(file.path()), "");
  const auto refused = [&](const std::string& bytes, const char* word) {
    file.write(bytes);
    const std::string message = error_of(file.path());
    EXPECT_NE(message, "") << word;
    EXPECT_THAT(message, HasSubstr(word));
  };
  const auto refused_header = [&](const std::string& from, const std::string& to,
                                  const char* word) {
    refused(with_header(good, replaced(header, from, to)), word);
  };
  refused(patched(good, 0, std::uint64_t{100'000'001}), "header length");
  refused(patched(good, 0, ~std::uint64_t{0}), "header length");
  refused(patched(good, 0, std::uint64_t{1}), "header length");
  refused(patched(good, 8, 'x'), "JSON");
  refused(good + "x", "file size");
  refused(with_header(good, std::string(5000, '[')), "deep");
  refused(with_header(good, "[1]"), "object");
  refused(with_header(good, "{\"a\":1e999}"), "");
  refused(with_header(good, "{\"a\":1,\"a\":2}"), "twice");
  refused_header("model.norm.weight", "model.norm.waight", "model.norm.weight");
  refused_header("\"F32\"", "\"F64\"", "F32, F16, BF16");
  refused_header("\"F32\"", "\"F16\"", "data_offsets");
  refused_header("[512,64]", "[512,-64]", "size");
  refused_header("[512,64]", "[9999999999999,9999999999999]", "size");
  refused_header("[512,64]", "[64,512]", "");
  refused_header("[131072,131328]", "[131076,131332]", "hole");
  refused_header("[131072,131328]", "[131068,131324]", "overlap");
  refused_header("[131072,131328]", "[131328,131072]", "out of range");
  refused_header("[131072,131328]", "[131072,99999999999]", "out of range");
  refused_header("meta-interleaved", "meta-interleafed", "half-split");
  refused_header("\"dtype\"", "\"ttype\"", "is not a tensor");
}

// Without the metadata the same file is one of Hugging Face order: heads of 8 rows are shuffled.
TEST(WeightFiles, HalfSplitRowsBecomeInterleaved) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const std::string good = read_file(shared_file("weights/stories260K-f32.safetensors"));
  const TempFile file(
      "half.safetensors",
      with_header(good, replaced(header_of(good), "meta-interleaved", "half-split")));
  const LoadedModel plain = load("weights/stories260K-f32.safetensors");
  const LoadedModel shuffled = load_weights(file.path());
  EXPECT_EQ(shuffled.tensor("layers.0.v").bytes, plain.tensor("layers.0.v").bytes);
  constexpr int kHeadDim = 8;
  const auto before = plain.tensor("layers.2.k").floats();
  const auto after = shuffled.tensor("layers.2.k").floats();
  for (int row = 0; row < 32; ++row) {
    const int in_head = row % kHeadDim;
    const int pair = in_head % (kHeadDim / 2);
    const int target = row - in_head + 2 * pair + (in_head < kHeadDim / 2 ? 0 : 1);
    for (int col = 0; col < 64; ++col) {
      EXPECT_EQ(after[static_cast<std::size_t>(target * 64 + col)],
                before[static_cast<std::size_t>(row * 64 + col)]);
    }
  }
}

TEST(WeightFiles, ConfigJsonBesideTheFileGivesTheShape) {
  RIDGEPOINT_NEED_SHARED(kBin);
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("config-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "model.safetensors").string();
  std::filesystem::copy_file(shared_file("weights/stories260K-f32.safetensors"), path);
  const auto write_config = [&](const std::string& extra) {
    std::ofstream(folder / "config.json")
        << "{\"model_type\": \"llama\", \"num_hidden_layers\": 5, \"hidden_size\": 64,"
           "\"num_attention_heads\": 8, \"num_key_value_heads\": 4, \"intermediate_size\": 172,"
           "\"vocab_size\": 512, \"max_position_embeddings\": 256, \"rms_norm_eps\": 1e-05,"
           "\"tie_word_embeddings\": true"
        << extra << "}";
  };
  write_config("");
  const LoadedModel model = load_weights(path);
  EXPECT_EQ(model.shape.max_context, 256);
  expect_same_bytes(model, load(kBin));
  for (const char* extra :
       {", \"rope_scaling\": {\"type\": \"linear\"}", ", \"hidden_act\": \"gelu\"",
        ", \"head_dim\": 7", ", \"rope_theta\": -1", ", \"mlp_bias\": true",
        ", \"rope_theta\": \"x\"", ", \"head_dim\": -8"}) {
    write_config(extra);
    EXPECT_THROW(load_weights(path), core::InputError) << extra;
  }
  std::filesystem::remove_all(folder);
}

// Every cut and every flipped header byte ends in an error or in a complete model.
TEST(WeightFiles, CutsAndFlipsNeverCrash) {
  RIDGEPOINT_NEED_SHARED(kBin);
  for (const char* name :
       {"stories260K.bin", "stories260K-f32.safetensors", "stories260K-bf16.safetensors",
        "stories260K-f16.gguf", "stories260K-q8_0.gguf", "stories260K-q4_0.gguf"}) {
    const std::string good = read_file(shared_file(std::string("weights/") + name));
    const TempFile file(name, good);
    const std::size_t header = std::min<std::size_t>(good.size(), 14336);
    std::size_t loaded = 0;
    for (std::size_t at = 0; at < header; at += at < 256 ? 1 : 149) {
      for (const int flip : {1, 128, 255}) {
        file.put(at, static_cast<char>(good[at] ^ flip));
        loaded += error_of(file.path()).empty() ? 1 : 0;
      }
      file.put(at, good[at]);
    }
    std::size_t step = 1;
    for (std::size_t cut = good.size() - 1; cut > 0; cut -= std::min(cut, step)) {
      std::filesystem::resize_file(file.path(), cut);
      EXPECT_NE(error_of(file.path()), "") << name << " cut at " << cut;
      step = cut > 4096 ? 1 + step * 9 / 8 : 7;
    }
    EXPECT_GT(loaded, 0u) << name << ": flips in free text or in values load";
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
