// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/shape_match.hpp"

#include <utility>

#include "sim/core/error.hpp"
#include "workloads/models/counts.hpp"

namespace ridgepoint::workloads {

void take_expected(ModelShape& shape, const ModelShape& expected, const std::string& path) {
  const auto same = [&](const char* key, std::int64_t is, std::int64_t should) {
    if (is == should) return;
    core::fail_input({path, 0, 0}, key, std::to_string(is), "is not that of " + expected.name,
                     std::to_string(should));
  };
  same("layers", shape.layers, expected.layers);
  same("d_model", shape.d_model, expected.d_model);
  same("heads", shape.heads, expected.heads);
  same("kv_heads", shape.kv_heads, expected.kv_heads);
  same("head_dim", shape.head_dim, expected.head_dim);
  same("ffn_dim", shape.ffn_dim, expected.ffn_dim);
  same("vocab", shape.vocab, expected.vocab);
  same("rotary_dim", shape.rotary_dim, expected.rotary_dim);
  same("tied_embeddings", shape.tied_embeddings, expected.tied_embeddings);
  same("qkv_bias", shape.qkv_bias, expected.qkv_bias);
  same("qk_norm", shape.qk_norm, expected.qk_norm);
  same("norm", static_cast<int>(shape.norm), static_cast<int>(expected.norm));
  same("activation", static_cast<int>(shape.activation), static_cast<int>(expected.activation));
  same("rope_theta", static_cast<std::int64_t>(shape.rope_theta),
       static_cast<std::int64_t>(expected.rope_theta));
  shape.name = expected.name;
  shape.family = expected.family;
  shape.source = expected.source;
  shape.sliding_window = expected.sliding_window;
  shape.window_local_layers = expected.window_local_layers;
  shape.window_global_layers = expected.window_global_layers;
  shape.declared_params = expected.declared_params;
  shape.published_params = expected.published_params;
  shape.published_active_params = expected.published_active_params;
}

void check_file_holds(const ModelShape& shape, std::uint64_t file_bytes, const std::string& path) {
  const auto params = static_cast<std::uint64_t>(parameter_count(shape));
  if (params / 2 <= file_bytes) return;
  core::fail_input({path, 0, 0}, "file size", std::to_string(file_bytes),
                   "is too small for the " + std::to_string(params) + " parameters of its header",
                   "at least half a byte for each");
}

LoadedModel assemble(const ModelShape& shape, std::map<std::string, Tensor> tensors) {
  LoadedModel model{shape, {}};
  for (const TensorSpec& spec : tensor_specs(shape)) {
    const auto found = tensors.find(spec.name);
    if (found == tensors.end()) throw core::CheckError("no tensor was read for " + spec.name);
    model.tensors.push_back(std::move(found->second));
  }
  return model;
}

}  // namespace ridgepoint::workloads
