// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/hf_config.hpp"

#include <cmath>
#include <filesystem>
#include <optional>
#include <span>

#include "sim/core/error.hpp"
#include "workloads/models/binary_file.hpp"
#include "workloads/models/guarded_json.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::uint64_t kLargestConfig = 1 << 20;

class Config {
 public:
  explicit Config(const std::string& path) : path_(path) {
    BinaryFile file(path);
    if (file.size() > kLargestConfig) {
      fail("file size", std::to_string(file.size()), "is too large", "at most 1048576 bytes");
    }
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)), "config");
    json_ = parse_guarded_json(text, 8, path, "config");
    if (!json_.is_object()) fail("config", "", "is not an object", "one JSON object");
  }

  [[noreturn]] void fail(const std::string& key, const std::string& value, const std::string& what,
                         const std::string& accepted) const {
    core::fail_input({path_, 0, 0}, key, value, what, accepted);
  }
  bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }
  std::int64_t count(const char* key, std::optional<std::int64_t> fallback = {}) const {
    if (!has(key) && fallback) return *fallback;
    if (!has(key)) fail(key, "", "is missing", "a whole number from 0");
    const auto& value = json_[key];
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= (std::uint64_t{1} << 40)) {
      fail(key, value.dump(), "is not a count", "a whole number from 0, less than 2^40");
    }
    return value.get<std::int64_t>();
  }
  double real(const char* key, double fallback) const {
    if (!has(key)) return fallback;
    if (!json_[key].is_number()) fail(key, json_[key].dump(), "is not a number", "a number");
    return json_[key].get<double>();
  }
  bool flag(const char* key, bool fallback) const {
    if (!has(key)) return fallback;
    if (!json_[key].is_boolean()) fail(key, json_[key].dump(), "is not a flag", "true, false");
    return json_[key].get<bool>();
  }
  std::string text(const char* key, const char* fallback) const {
    if (!has(key)) return fallback;
    if (!json_[key].is_string()) fail(key, json_[key].dump(), "is not a text", "a text");
    return json_[key].get<std::string>();
  }

 private:
  std::string path_;
  nlohmann::json json_;
};

void refuse_what_changes_values(const Config& config) {
  if (config.has("rope_scaling")) {
    config.fail("rope_scaling", "", "is not supported", "null");
  }
  if (const std::string act = config.text("hidden_act", "silu"); act != "silu") {
    config.fail("hidden_act", act, "is not supported", "silu");
  }
  if (config.flag("attention_bias", false)) {
    config.fail("attention_bias", "true", "is not supported", "false");
  }
  if (config.flag("mlp_bias", false)) config.fail("mlp_bias", "true", "is not supported", "false");
}

}  // namespace

ModelShape read_hf_config(const std::string& path) {
  const Config config(path);
  const std::string type = config.text("model_type", "");
  if (type != "llama" && type != "mistral" && type != "qwen2" && type != "qwen3") {
    config.fail("model_type", type, "is not supported", "llama, mistral, qwen2, qwen3");
  }
  refuse_what_changes_values(config);
  ModelShape s;
  s.name = std::filesystem::absolute(path).parent_path().filename().string();
  s.family = type;
  s.source = path;
  s.layers = config.count("num_hidden_layers");
  s.d_model = config.count("hidden_size");
  s.heads = config.count("num_attention_heads");
  s.kv_heads = config.count("num_key_value_heads", s.heads);
  s.head_dim = config.count("head_dim", s.heads > 0 ? s.d_model / s.heads : 0);
  s.rotary_dim = s.head_dim;
  s.ffn_dim = config.count("intermediate_size");
  s.vocab = config.count("vocab_size");
  s.max_context = config.count("max_position_embeddings");
  s.tied_embeddings = config.flag("tie_word_embeddings", false);
  s.norm_eps = config.real("rms_norm_eps", 1e-6);
  s.rope_theta = config.real("rope_theta", 10000);
  s.qkv_bias = type == "qwen2";
  s.qk_norm = type == "qwen3";
  const bool window_used = type == "mistral" || config.flag("use_sliding_window", false);
  s.sliding_window = window_used ? config.count("sliding_window", 0) : 0;
  s.window_local_layers = s.sliding_window > 0 ? 1 : 0;
  if (s.rope_theta <= 0) {
    config.fail("rope_theta", std::to_string(s.rope_theta), "is out of range", "above 0");
  }
  check_shape(s, path);
  return s;
}

}  // namespace ridgepoint::workloads
