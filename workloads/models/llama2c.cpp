// SPDX-License-Identifier: Apache-2.0
// llama2.c checkpoints. Version 0 has no magic: seven int32, then fp32 by kind of tensor. Versions
// 1 and 2 start with "ak42" and a header of 256 bytes; 2 has int8 groups with fp32 scales.
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "sim/core/error.hpp"
#include "workloads/models/binary_file.hpp"
#include "workloads/models/shape_match.hpp"
#include "workloads/models/stored_type.hpp"
#include "workloads/models/weight_files.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::uint32_t kMagic = 0x616b3432;
constexpr std::uint64_t kHeaderBytes = 256;

struct Header {
  int version = 0;
  ModelShape shape;
  std::int64_t group = 0;  // version 2: elements that share a scale
  std::uint64_t data_offset = 0;
};

// Order of one layer's parts in the file; every part stands for all layers together.
struct Part {
  const char* name;
  bool per_layer;
};
constexpr std::array<Part, 11> kOrderV0{{{"embedding", false},
                                         {"attn_norm", true},
                                         {"q", true},
                                         {"k", true},
                                         {"v", true},
                                         {"o", true},
                                         {"ffn_norm", true},
                                         {"gate", true},
                                         {"down", true},
                                         {"up", true},
                                         {"final_norm", false}}};
constexpr std::array<Part, 11> kOrderV1{{{"attn_norm", true},
                                         {"ffn_norm", true},
                                         {"final_norm", false},
                                         {"embedding", false},
                                         {"q", true},
                                         {"k", true},
                                         {"v", true},
                                         {"o", true},
                                         {"gate", true},
                                         {"down", true},
                                         {"up", true}}};

void read_sizes(Cursor& cursor, Header& header) {
  ModelShape& s = header.shape;
  const std::uint64_t start = cursor.offset();
  const auto size = [&](const char* what) { return std::int64_t{cursor.take<std::int32_t>(what)}; };
  s.d_model = size("dim");
  s.ffn_dim = size("hidden_dim");
  s.layers = size("n_layers");
  s.heads = size("n_heads");
  s.kv_heads = size("n_kv_heads");
  const std::int64_t vocab = size("vocab_size");
  s.max_context = size("seq_len");
  s.vocab = vocab < 0 ? -vocab : vocab;
  s.tied_embeddings = vocab > 0;
  if (header.version > 0 && vocab < 0) {
    cursor.file().fail("vocab_size", std::to_string(vocab), "is negative", start + 20,
                       "1 to 16777216");
  }
  if (s.heads <= 0 || s.d_model <= 0 || s.d_model % s.heads != 0) {
    cursor.file().fail("n_heads", std::to_string(s.heads), "does not fit", start + 12,
                       "a divisor of dim = " + std::to_string(s.d_model));
  }
  s.head_dim = s.d_model / s.heads;
  s.rotary_dim = s.head_dim;
  s.rope_theta = 10000;
}

void read_versioned(Cursor& cursor, Header& header) {
  BinaryFile& file = cursor.file();
  cursor.skip(4, "magic");
  header.version = cursor.take<std::int32_t>("version");
  if (header.version != 1 && header.version != 2) {
    file.fail("version", std::to_string(header.version), "is unknown", 4, "1, 2");
  }
  read_sizes(cursor, header);
  const auto shared = cursor.take<std::uint8_t>("shared_classifier");
  if (shared > 1) {
    file.fail("shared_classifier", std::to_string(shared), "is not a flag", cursor.offset() - 1,
              "0, 1");
  }
  header.shape.tied_embeddings = shared == 1;
  if (header.version == 2) {
    header.group = cursor.take<std::int32_t>("group_size");
    if (header.group < 1 || header.group > header.shape.d_model) {
      file.fail("group_size", std::to_string(header.group), "is out of range", cursor.offset() - 4,
                "1 to dim = " + std::to_string(header.shape.d_model));
    }
  }
  while (cursor.offset() < kHeaderBytes) {
    const auto pad = cursor.take<std::uint8_t>("header padding");
    if (pad != 0) file.fail("header padding", std::to_string(pad), "", cursor.offset() - 1, "0");
  }
}

Header read_header(BinaryFile& file) {
  Header header;
  Cursor cursor(file);
  if (Cursor(file).take<std::uint32_t>("header") == kMagic) {
    read_versioned(cursor, header);
  } else {
    read_sizes(cursor, header);
  }
  header.data_offset = cursor.offset();
  header.shape.name = std::filesystem::path(file.path()).stem().string();
  header.shape.family = "llama2.c";
  header.shape.source = file.path();
  check_shape(header.shape, file.path());
  check_file_holds(header.shape, file.size(), file.path());
  return header;
}

// int8 values, then one fp32 scale for every `group` of them.
Tensor read_groups(BinaryFile& file, std::uint64_t offset, const TensorSpec& spec,
                   std::int64_t group) {
  const std::int64_t count = spec.rows * spec.cols;
  Tensor tensor = make_tensor(spec.name, spec.rows, spec.cols, core::DType::kFp32);
  tensor.stored_as = "int8 in groups of " + std::to_string(group);
  std::vector<std::byte> quants(static_cast<std::size_t>(count));
  std::vector<float> scales(static_cast<std::size_t>(count / group));
  file.read(offset, quants, spec.name);
  file.read(offset + quants.size(), std::as_writable_bytes(std::span(scales)), spec.name);
  const auto values = tensor.mutable_floats();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto quant = static_cast<float>(static_cast<std::int8_t>(quants[i]));
    values[i] = quant * scales[i / static_cast<std::size_t>(group)];
  }
  require_finite(file, tensor);
  return tensor;
}

std::vector<TensorSpec> file_order(const Header& header) {
  std::map<std::string, TensorSpec> by_name;
  for (TensorSpec& spec : tensor_specs(header.shape)) {
    std::string name = spec.name;
    by_name.emplace(std::move(name), std::move(spec));
  }
  std::vector<TensorSpec> order;
  for (const Part& part : header.version == 0 ? kOrderV0 : kOrderV1) {
    for (std::int64_t i = 0; i < (part.per_layer ? header.shape.layers : 1); ++i) {
      order.push_back(by_name.at(part.per_layer ? layer_tensor(i, part.name) : part.name));
    }
  }
  if (!header.shape.tied_embeddings) order.push_back(by_name.at("lm_head"));
  return order;
}

bool in_groups(const Header& header, const TensorSpec& spec) {
  return header.version == 2 && spec.rows > 1;
}

// Bytes of two fp32 tables of cos and sin that stand before the classifier of version 0.
std::int64_t table_bytes(const Header& header) {
  return header.version == 0 ? header.shape.max_context * (header.shape.head_dim / 2) * 2 * 4 : 0;
}

void check_file_size(const BinaryFile& file, const Header& header,
                     const std::vector<TensorSpec>& order) {
  auto bytes = static_cast<std::int64_t>(header.data_offset) + table_bytes(header);
  for (const TensorSpec& spec : order) {
    const std::int64_t count = spec.rows * spec.cols;
    if (in_groups(header, spec) && count % header.group != 0) {
      file.fail("group_size", std::to_string(header.group), "does not divide " + spec.name, 37,
                "a divisor of " + std::to_string(count));
    }
    bytes += in_groups(header, spec) ? count + count / header.group * 4 : count * 4;
  }
  if (static_cast<std::uint64_t>(bytes) == file.size()) return;
  core::fail_input({file.path(), 0, 0}, "file size", std::to_string(file.size()),
                   "does not fit the header", std::to_string(bytes) + " bytes");
}

}  // namespace

LoadedModel load_llama2c(const std::string& path, const ModelShape* expected) {
  BinaryFile file(path);
  Header header = read_header(file);
  if (expected != nullptr) take_expected(header.shape, *expected, path);
  const std::vector<TensorSpec> order = file_order(header);
  check_file_size(file, header, order);

  std::map<std::string, Tensor> read;
  std::uint64_t offset = header.data_offset;
  for (const TensorSpec& spec : order) {
    if (spec.name == "lm_head") offset += static_cast<std::uint64_t>(table_bytes(header));
    const bool groups = in_groups(header, spec);
    Tensor tensor = groups ? read_groups(file, offset, spec, header.group)
                           : read_tensor(file, offset, spec, StoredType::kF32);
    const auto count = static_cast<std::uint64_t>(tensor.size());
    offset += groups ? count + count / static_cast<std::uint64_t>(header.group) * 4 : count * 4;
    read.emplace(spec.name, std::move(tensor));
  }
  return assemble(header.shape, std::move(read));
}

}  // namespace ridgepoint::workloads
