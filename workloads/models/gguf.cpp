// SPDX-License-Identifier: Apache-2.0
// A model of architecture "llama" in a GGUF file: keys to shape, tensor names to ours, layout of
// the data section.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "sim/core/error.hpp"
#include "workloads/models/binary_file.hpp"
#include "workloads/models/gguf_header.hpp"
#include "workloads/models/shape_match.hpp"
#include "workloads/models/stored_type.hpp"
#include "workloads/models/weight_files.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::array<std::pair<std::uint32_t, StoredType>, 5> kTypes{{{0, StoredType::kF32},
                                                                      {1, StoredType::kF16},
                                                                      {2, StoredType::kQ4_0},
                                                                      {8, StoredType::kQ8_0},
                                                                      {30, StoredType::kBf16}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kLayerNames{
    {{"attn_norm", "attn_norm"},
     {"q", "attn_q"},
     {"k", "attn_k"},
     {"v", "attn_v"},
     {"o", "attn_output"},
     {"ffn_norm", "ffn_norm"},
     {"gate", "ffn_gate"},
     {"up", "ffn_up"},
     {"down", "ffn_down"}}};

std::string gguf_name(const std::string& ours) {
  if (ours == "embedding") return "token_embd.weight";
  if (ours == "final_norm") return "output_norm.weight";
  if (ours == "lm_head") return "output.weight";
  const std::size_t dot = ours.rfind('.');
  const std::string layer = ours.substr(7, dot - 7);  // after "layers."
  for (const auto& [part, name] : kLayerNames) {
    if (std::string_view(ours).substr(dot + 1) == part) {
      return "blk." + layer + "." + std::string(name) + ".weight";
    }
  }
  throw core::CheckError("no GGUF name for tensor " + ours);
}

class GgufModel {
 public:
  GgufModel(const std::string& path, const ModelShape* expected) : file_(path), header_(file_) {
    for (const GgufTensor& tensor : header_.tensors()) by_name_.emplace(tensor.name, &tensor);
    read_shape();
    if (expected != nullptr) take_expected(shape_, *expected, path);
  }

  LoadedModel load() {
    const std::vector<TensorSpec> specs = tensor_specs(shape_);
    for (const TensorSpec& spec : specs) match(spec);
    if (!by_name_.empty()) {
      fail("tensor", by_name_.begin()->first, "is not part of a llama model",
           "token_embd, output_norm, output, blk.N.{attn_norm, attn_q, attn_k, attn_v, "
           "attn_output, ffn_norm, ffn_gate, ffn_up, ffn_down}");
    }
    check_layout();
    std::map<std::string, Tensor> read;
    for (const Placed& p : placed_) {
      read.emplace(p.spec.name,
                   read_tensor(file_, header_.data_offset() + p.offset, p.spec, p.type));
    }
    return assemble(shape_, std::move(read));
  }

 private:
  struct Placed {
    TensorSpec spec;
    StoredType type;
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  [[noreturn]] void fail(const std::string& key, const std::string& value, const std::string& what,
                         const std::string& accepted) const {
    core::fail_input({file_.path(), 0, 0}, key, value, what, accepted);
  }

  std::int64_t size(const std::string& key, std::optional<std::uint64_t> fallback = {}) const {
    const std::uint64_t value = header_.count(key, fallback);
    if (value >= (std::uint64_t{1} << 40)) {
      fail(key, std::to_string(value), "is out of range", "less than 2^40");
    }
    return static_cast<std::int64_t>(value);
  }

  void read_shape() {
    const std::string architecture = header_.text("general.architecture");
    if (architecture != "llama") {
      fail("general.architecture", architecture, "is not supported", "llama");
    }
    if (size("llama.expert_count", 0) != 0) {
      fail("llama.expert_count", "", "is not supported", "0");
    }
    if (const std::string scaling = header_.text("llama.rope.scaling.type", "none");
        scaling != "none") {
      fail("llama.rope.scaling.type", scaling, "is not supported", "none");
    }
    ModelShape& s = shape_;
    s.name = header_.text("general.name", "gguf");
    s.family = "GGUF llama";
    s.source = file_.path();
    s.layers = size("llama.block_count");
    s.d_model = size("llama.embedding_length");
    s.ffn_dim = size("llama.feed_forward_length");
    s.heads = size("llama.attention.head_count");
    s.kv_heads = size("llama.attention.head_count_kv", static_cast<std::uint64_t>(s.heads));
    s.max_context = size("llama.context_length");
    const auto per_head = static_cast<std::uint64_t>(s.heads > 0 ? s.d_model / s.heads : 0);
    s.head_dim = size("llama.attention.key_length", per_head);
    s.rotary_dim = size("llama.rope.dimension_count", static_cast<std::uint64_t>(s.head_dim));
    s.rope_theta = header_.real("llama.rope.freq_base", 10000.0);
    if (s.rope_theta <= 0) {
      fail("llama.rope.freq_base", std::to_string(s.rope_theta), "is out of range", "above 0");
    }
    // The key holds an fp32; the double nearest to its shortest decimal form is what was meant.
    s.norm_eps = shortest_double(header_.real("llama.attention.layer_norm_rms_epsilon"));
    s.tied_embeddings = !by_name_.contains("output.weight");
    const auto table = by_name_.find("token_embd.weight");
    if (table == by_name_.end()) fail("token_embd.weight", "", "is missing", "an embedding table");
    const std::uint64_t rows = table->second->sizes.size() == 2 ? table->second->sizes[1] : 0;
    if (rows > (std::uint64_t{1} << 24)) {
      fail("token_embd.weight", std::to_string(rows), "has too many rows", "up to 16777216");
    }
    s.vocab = static_cast<std::int64_t>(rows);
    check_shape(s, file_.path());
    check_file_holds(s, file_.size(), file_.path());
  }

  // Finds the tensor of a spec, checks its sizes and type, and moves it to placed_.
  void match(const TensorSpec& spec) {
    const std::string name = gguf_name(spec.name);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      fail(name, "", "is missing", std::to_string(header_.tensors().size()) + " tensors are there");
    }
    const GgufTensor& tensor = *found->second;
    by_name_.erase(found);
    std::vector<std::uint64_t> wanted{static_cast<std::uint64_t>(spec.cols)};
    if (spec.rows > 1) wanted.push_back(static_cast<std::uint64_t>(spec.rows));
    if (tensor.sizes != wanted) {
      fail(name, sizes_text(tensor.sizes), "has the wrong sizes", sizes_text(wanted));
    }
    const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& entry) { return entry.first == tensor.type; });
    if (type == kTypes.end()) {
      fail(name + " type", std::to_string(tensor.type), "is not supported",
           "0 (F32), 1 (F16), 2 (Q4_0), 8 (Q8_0), 30 (BF16)");
    }
    if (spec.cols % block_size(type->second) != 0) {
      fail(name, std::to_string(spec.cols), "is not a whole number of blocks", "multiples of 32");
    }
    const std::int64_t bytes = stored_bytes(type->second, spec.rows * spec.cols);
    placed_.push_back({spec, type->second, tensor.offset, static_cast<std::uint64_t>(bytes)});
  }

  // Tensors follow each other with only the alignment's padding between them, up to the end.
  void check_layout() {
    std::sort(placed_.begin(), placed_.end(),
              [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
    const std::uint64_t align = header_.alignment();
    std::uint64_t end = 0;
    for (const Placed& p : placed_) {
      const std::uint64_t start = (end + align - 1) / align * align;
      if (p.offset != start) {
        fail(gguf_name(p.spec.name) + " offset", std::to_string(p.offset),
             p.offset < start ? "overlaps the tensor before it" : "leaves a hole before it",
             std::to_string(start));
      }
      end = start + p.bytes;
    }
    const std::uint64_t least = header_.data_offset() + end;
    const std::uint64_t most = header_.data_offset() + (end + align - 1) / align * align;
    if (file_.size() < least || file_.size() > most) {
      fail("file size", std::to_string(file_.size()), "does not fit the tensors",
           std::to_string(least) + " to " + std::to_string(most) + " bytes");
    }
  }

  static double shortest_double(double value) {
    std::array<char, 32> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(value));
    double out = value;
    if (error == std::errc()) std::from_chars(text.data(), end, out);
    return out;
  }
  static std::string sizes_text(const std::vector<std::uint64_t>& sizes) {
    std::string text;
    for (const std::uint64_t size : sizes) {
      text += (text.empty() ? "" : " x ") + std::to_string(size);
    }
    return text;
  }

  BinaryFile file_;
  GgufHeader header_;
  std::map<std::string, const GgufTensor*> by_name_;
  ModelShape shape_;
  std::vector<Placed> placed_;
};

}  // namespace

LoadedModel load_gguf(const std::string& path, const ModelShape* expected) {
  return GgufModel(path, expected).load();
}

}  // namespace ridgepoint::workloads
