// SPDX-License-Identifier: Apache-2.0
// One safetensors file: u64 header length, JSON header, buffer covered without holes. Tensor names
// are those of Hugging Face's llama, mistral, qwen2 and qwen3 models.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "sim/core/error.hpp"
#include "workloads/models/binary_file.hpp"
#include "workloads/models/guarded_json.hpp"
#include "workloads/models/hf_config.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/shape_match.hpp"
#include "workloads/models/stored_type.hpp"
#include "workloads/models/weight_files.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kLayerNames{
    {{"attn_norm", "input_layernorm.weight"},
     {"q", "self_attn.q_proj.weight"},
     {"q_bias", "self_attn.q_proj.bias"},
     {"k", "self_attn.k_proj.weight"},
     {"k_bias", "self_attn.k_proj.bias"},
     {"v", "self_attn.v_proj.weight"},
     {"v_bias", "self_attn.v_proj.bias"},
     {"o", "self_attn.o_proj.weight"},
     {"q_norm", "self_attn.q_norm.weight"},
     {"k_norm", "self_attn.k_norm.weight"},
     {"ffn_norm", "post_attention_layernorm.weight"},
     {"gate", "mlp.gate_proj.weight"},
     {"up", "mlp.up_proj.weight"},
     {"down", "mlp.down_proj.weight"}}};
constexpr std::string_view kRotaryBuffer = ".self_attn.rotary_emb.inv_freq";  // not learned

std::string hf_name(const std::string& ours) {
  if (ours == "embedding") return "model.embed_tokens.weight";
  if (ours == "final_norm") return "model.norm.weight";
  if (ours == "lm_head") return "lm_head.weight";
  const std::size_t dot = ours.rfind('.');
  for (const auto& [part, name] : kLayerNames) {
    if (std::string_view(ours).substr(dot + 1) == part) {
      return "model." + ours.substr(0, dot) + "." + std::string(name);
    }
  }
  core::fail_input({}, "tensor", ours, "has no name in safetensors files",
                   "models of types llama, mistral, qwen2, qwen3");
}

// rotates, so that its rows are in pairs
bool is_rotated(const std::string& ours) {
  const std::string part = ours.substr(ours.rfind('.') + 1);
  return part == "q" || part == "k" || part == "q_bias" || part == "k_bias" || part == "q_norm" ||
         part == "k_norm";
}

struct Entry {
  StoredType type = StoredType::kF32;
  std::vector<std::int64_t> sizes;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path) : file_(path) {
    const std::string text = read_header_text();
    const nlohmann::json header = parse_guarded_json(text, 3, path, "header");
    if (!header.is_object()) fail("header", "", "is not an object", "one JSON object");
    for (const auto& [name, value] : header.items()) {
      if (name == "__metadata__") {
        read_metadata(value);
      } else {
        entries_.emplace(name, read_entry(name, value));
      }
    }
    check_coverage();
  }

  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool interleaved() const { return interleaved_; }
  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return file_.size(); }
  Tensor read(const TensorSpec& spec, const Entry& entry) {
    return read_tensor(file_, data_offset_ + entry.begin, spec, entry.type);
  }
  [[noreturn]] void fail(const std::string& key, const std::string& value, const std::string& what,
                         const std::string& accepted) const {
    core::fail_input({file_.path(), 0, 0}, key, value, what, accepted);
  }

 private:
  std::string read_header_text() {
    Cursor cursor(file_);
    const auto length = cursor.take<std::uint64_t>("header length");
    const std::uint64_t longest = std::min(kLongestHeader, cursor.remaining());
    if (length < 2 || length > longest) {
      file_.fail("header length", std::to_string(length), "is out of range", 0,
                 "2 to " + std::to_string(longest) + " in this file");
    }
    data_offset_ = 8 + length;
    return cursor.take_text(length, "header");
  }

  void read_metadata(const nlohmann::json& value) {
    if (!value.is_object()) fail("__metadata__", "", "is not an object", "texts by name");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("__metadata__", key, "is not a text", "texts by name");
    }
    const std::string layout = value.value("rope_layout", std::string("half-split"));
    if (layout != "half-split" && layout != "meta-interleaved") {
      fail("rope_layout", layout, "is unknown", "half-split, meta-interleaved");
    }
    interleaved_ = layout == "meta-interleaved";
  }

  Entry read_entry(const std::string& name, const nlohmann::json& value) const {
    Entry entry;
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
        !value.contains("shape") || !value.contains("data_offsets")) {
      fail(name, "", "is not a tensor", "an object of dtype, shape and data_offsets");
    }
    entry.type = read_type(name, value["dtype"]);
    if (!value["shape"].is_array() || value["shape"].size() > 8) {
      fail(name + " shape", "", "is not a list of sizes", "up to 8 whole numbers");
    }
    std::int64_t count = 1;
    for (const auto& size : value["shape"]) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > (std::uint64_t{1} << 40) ||
          __builtin_mul_overflow(count, size.get<std::int64_t>(), &count) ||
          count > (std::int64_t{1} << 50)) {
        fail(name + " shape", size.dump(), "is not a size", "whole numbers from 0 to 2^40");
      }
      entry.sizes.push_back(size.get<std::int64_t>());
    }
    read_offsets(name, value["data_offsets"], entry);
    const auto bytes = static_cast<std::uint64_t>(stored_bytes(entry.type, count));
    if (entry.end - entry.begin != bytes) {
      fail(name + " data_offsets", std::to_string(entry.end - entry.begin) + " bytes",
           "do not fit dtype and shape", std::to_string(bytes));
    }
    return entry;
  }

  StoredType read_type(const std::string& name, const nlohmann::json& value) const {
    for (const StoredType type : {StoredType::kF32, StoredType::kF16, StoredType::kBf16}) {
      if (value.is_string() && value.get<std::string>() == name_of(type)) return type;
    }
    fail(name + " dtype", value.dump(), "is not supported", "F32, F16, BF16");
  }

  void read_offsets(const std::string& name, const nlohmann::json& value, Entry& entry) const {
    if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() ||
        !value[1].is_number_unsigned()) {
      fail(name + " data_offsets", "", "are not two offsets", "[begin, end]");
    }
    entry.begin = value[0].get<std::uint64_t>();
    entry.end = value[1].get<std::uint64_t>();
    if (entry.begin > entry.end || entry.end > file_.size() - data_offset_) {
      fail(name + " data_offsets", std::to_string(entry.begin) + " to " + std::to_string(entry.end),
           "are out of range", "0 to " + std::to_string(file_.size() - data_offset_));
    }
  }

  // Tensors cover the buffer from its first to its last byte, once.
  void check_coverage() const {
    std::vector<std::pair<const std::string*, const Entry*>> order;
    for (const auto& [name, entry] : entries_) order.emplace_back(&name, &entry);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second->begin, a.second->end) < std::pair(b.second->begin, b.second->end);
    });
    std::uint64_t end = 0;
    for (const auto& [name, entry] : order) {
      if (entry->begin != end) {
        fail(*name + " data_offsets", std::to_string(entry->begin),
             entry->begin < end ? "overlap the tensor before" : "leave a hole before",
             std::to_string(end));
      }
      end = entry->end;
    }
    if (end != file_.size() - data_offset_) {
      fail("file size", std::to_string(file_.size()), "does not fit the tensors",
           std::to_string(data_offset_ + end) + " bytes");
    }
  }

  BinaryFile file_;
  std::map<std::string, Entry> entries_;
  std::uint64_t data_offset_ = 0;
  bool interleaved_ = false;
};

std::vector<std::int64_t> sizes_of(const TensorSpec& spec) {
  return spec.rows == 1 ? std::vector{spec.cols} : std::vector{spec.rows, spec.cols};
}

bool has_sizes(const SafetensorsFile& file, const std::string& name,
               const std::vector<std::int64_t>& sizes) {
  const auto found = file.entries().find(name);
  return found != file.entries().end() && found->second.sizes == sizes;
}

// The one known model whose embedding, first and last layer have the file's sizes.
const ModelShape& known_shape(const SafetensorsFile& file) {
  const ModelShape* match = nullptr;
  const std::string prefix = "model.layers.";
  for (const ModelShape& s : all_models()) {
    if (s.moe || s.mla || s.norms_per_layer != 2 || !s.gated()) continue;
    const bool fits =
        has_sizes(file, "model.embed_tokens.weight", {s.vocab, s.d_model}) &&
        has_sizes(file, prefix + "0.self_attn.q_proj.weight", {s.q_dim(), s.d_model}) &&
        has_sizes(file, prefix + "0.self_attn.k_proj.weight", {s.kv_dim(), s.d_model}) &&
        has_sizes(file, prefix + "0.mlp.up_proj.weight", {s.ffn_dim, s.d_model}) &&
        has_sizes(file, prefix + std::to_string(s.layers - 1) + ".input_layernorm.weight",
                  {s.d_model}) &&
        !file.entries().contains(prefix + std::to_string(s.layers) + ".input_layernorm.weight");
    if (!fits) continue;
    if (match != nullptr) {
      file.fail("shape", match->name + ", " + s.name, "both fit the tensors",
                "a model name, or config.json beside the file");
    }
    match = &s;
  }
  if (match == nullptr) {
    file.fail("shape", "", "of the tensors is that of no known model",
              "a model name that fits, or config.json beside the file");
  }
  return *match;
}

ModelShape shape_for(const SafetensorsFile& file, const ModelShape* expected) {
  if (expected != nullptr) return *expected;
  const auto config = std::filesystem::path(file.path()).parent_path() / "config.json";
  if (std::filesystem::exists(config)) return read_hf_config(config.string());
  return known_shape(file);
}

void refuse_unknown(const SafetensorsFile& file, std::size_t used) {
  for (const auto& [name, entry] : file.entries()) {
    if (name.ends_with(kRotaryBuffer)) ++used;
  }
  if (used == file.entries().size()) return;
  file.fail("tensors", std::to_string(file.entries().size()), "are more than the shape has",
            std::to_string(used));
}

}  // namespace

LoadedModel load_safetensors(const std::string& path, const ModelShape* expected) {
  SafetensorsFile file(path);
  const ModelShape shape = shape_for(file, expected);
  check_file_holds(shape, file.size(), path);
  std::map<std::string, Tensor> read;
  for (const TensorSpec& spec : tensor_specs(shape)) {
    const std::string name = hf_name(spec.name);
    const auto found = file.entries().find(name);
    if (found == file.entries().end()) file.fail(name, "", "is missing", "a tensor of that name");
    if (found->second.sizes != sizes_of(spec)) {
      file.fail(name, sizes_text(found->second.sizes), "has the wrong sizes",
                sizes_text(sizes_of(spec)));
    }
    Tensor tensor = file.read(spec, found->second);
    if (!file.interleaved() && is_rotated(spec.name)) {
      interleave_heads(tensor, shape.head_dim, shape.rotary_dim);
    }
    read.emplace(spec.name, std::move(tensor));
  }
  refuse_unknown(file, read.size());
  return assemble(shape, std::move(read));
}

namespace {
bool is_zero(char byte) { return byte == 0; }
}  // namespace

LoadedModel load_weights(const std::string& path, const ModelShape* expected) {
  BinaryFile file(path);
  if (file.starts_with("GGUF")) return load_gguf(path, expected);
  std::array<char, 9> head{};
  if (file.size() >= head.size()) file.read(0, std::as_writable_bytes(std::span(head)), "magic");
  const bool named_safetensors = path.ends_with(".safetensors");
  // A header of less than 4 GiB; in a llama2.c file these four zeros would be a hidden_dim of 0.
  const bool looks_like_json = head[8] == '{' && std::all_of(&head[4], &head[8], is_zero);
  if (named_safetensors || looks_like_json) return load_safetensors(path, expected);
  if (path.ends_with(".gguf")) return load_gguf(path, expected);
  return load_llama2c(path, expected);
}

}  // namespace ridgepoint::workloads
