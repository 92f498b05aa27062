// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/counts.hpp"

#include <algorithm>
#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

// Matrices with their biases, of one layer's attention.
std::int64_t attention_matrices(const ModelShape& s) {
  const std::int64_t d = s.d_model;
  if (s.mla) {
    const MlaShape& m = *s.mla;
    const std::int64_t q_out = s.heads * (m.qk_nope + m.qk_rope);
    const std::int64_t q = m.q_lora > 0 ? m.q_lora * (d + q_out) : d * q_out;
    const std::int64_t kv =
        d * (m.kv_lora + m.qk_rope) + m.kv_lora * s.heads * (m.qk_nope + m.v_dim);
    return q + kv + s.heads * m.v_dim * d;
  }
  const std::int64_t matrices = d * s.q_dim() * 2 + d * s.kv_dim() * 2;
  const std::int64_t qkv_bias = s.qkv_bias ? s.q_dim() + 2 * s.kv_dim() : 0;
  return matrices + qkv_bias + (s.other_bias ? d : 0);
}

// Norms and sinks of one layer.
std::int64_t layer_vectors(const ModelShape& s) {
  const std::int64_t per_norm = s.d_model * (s.norm == NormKind::kLayerNorm ? 2 : 1);
  const std::int64_t qk = s.qk_norm ? 2 * s.head_dim : 0;
  const std::int64_t latent = s.mla ? s.mla->q_lora + s.mla->kv_lora : 0;
  return s.norms_per_layer * per_norm + qk + latent + (s.attention_sinks ? s.heads : 0);
}

std::int64_t ffn_matrices(const ModelShape& s, std::int64_t width) {
  const std::int64_t inner = s.gated() ? 2 : 1;  // gate and up, or up alone; then down
  const std::int64_t bias = s.other_bias ? inner * width + s.d_model : 0;
  return (inner + 1) * s.d_model * width + bias;
}

// All layers' feed-forward matrices when `experts` of each expert layer are counted.
std::int64_t all_ffn_matrices(const ModelShape& s, bool active_only) {
  if (!s.moe) return s.layers * ffn_matrices(s, s.ffn_dim);
  const MoeShape& m = *s.moe;
  const std::int64_t routed = active_only ? m.active : m.experts;
  const std::int64_t expert = ffn_matrices(s, m.ffn_dim);
  const std::int64_t layer = (routed + m.shared_experts) * expert + s.d_model * m.experts;
  return m.first_dense_layers * ffn_matrices(s, s.ffn_dim) +
         (s.layers - m.first_dense_layers) * layer;
}

std::int64_t router_biases(const ModelShape& s) {
  if (!s.moe || !s.moe->router_bias) return 0;
  return (s.layers - s.moe->first_dense_layers) * s.moe->experts;
}

std::int64_t count(const ModelShape& s, bool active_only) {
  const std::int64_t table = s.vocab * s.d_model;
  const std::int64_t final_norm = s.d_model * (s.norm == NormKind::kLayerNorm ? 2 : 1);
  const std::int64_t positions = s.learned_positions() ? s.max_context * s.d_model : 0;
  return s.layers * (attention_matrices(s) + layer_vectors(s)) + all_ffn_matrices(s, active_only) +
         router_biases(s) + final_norm + positions + table * (s.tied_embeddings ? 1 : 2);
}

// Cache of one token in one layer, with scales: a row per KV head for K and for V.
std::int64_t layer_row_bytes(const ModelShape& s, core::DType dtype) {
  if (s.mla) return core::bytes_of(dtype, s.mla->kv_lora + s.mla->qk_rope);
  return 2 * s.kv_heads * core::bytes_of(dtype, s.head_dim);
}

}  // namespace

std::int64_t parameter_count(const ModelShape& shape) { return count(shape, false); }

std::int64_t active_parameter_count(const ModelShape& shape) { return count(shape, true); }

std::int64_t decode_matmul_params(const ModelShape& shape) {
  return shape.layers * attention_matrices(shape) + all_ffn_matrices(shape, true) +
         shape.vocab * shape.d_model;
}

std::int64_t weight_bytes(const ModelShape& shape, core::DType dtype) {
  return core::bytes_of(dtype, parameter_count(shape));
}

std::int64_t kv_elements_per_token(const ModelShape& shape) {
  if (shape.mla) return shape.layers * (shape.mla->kv_lora + shape.mla->qk_rope);
  return shape.layers * 2 * shape.kv_dim();
}

std::int64_t kv_bytes_per_token(const ModelShape& shape, core::DType dtype) {
  return shape.layers * layer_row_bytes(shape, dtype);
}

std::int64_t kv_elements(const ModelShape& shape, std::int64_t tokens) {
  const std::int64_t per_layer = kv_elements_per_token(shape) / shape.layers;
  std::int64_t total = 0;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    const bool windowed = shape.is_windowed(layer);
    total += per_layer * (windowed ? std::min(tokens, shape.sliding_window) : tokens);
  }
  return total;
}

std::int64_t kv_bytes(const ModelShape& shape, core::DType dtype, std::int64_t tokens) {
  std::int64_t rows = 0;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    rows += shape.is_windowed(layer) ? std::min(tokens, shape.sliding_window) : tokens;
  }
  return rows * layer_row_bytes(shape, dtype);
}

std::int64_t kv_macs_per_token(const ModelShape& shape) {
  if (shape.mla) {
    return shape.layers * shape.d_model * (shape.mla->kv_lora + shape.mla->qk_rope);
  }
  return shape.layers * 2 * shape.d_model * shape.kv_dim();
}

std::int64_t kv_macs_with_cache(const ModelShape& shape, std::int64_t prompt,
                                std::int64_t generated) {
  return kv_macs_per_token(shape) * (prompt + generated - 1);
}

std::int64_t kv_macs_without_cache(const ModelShape& shape, std::int64_t prompt,
                                   std::int64_t generated) {
  // Steps of prompt, prompt + 1, ... prompt + generated - 1 tokens.
  const std::int64_t tokens = generated * prompt + generated * (generated - 1) / 2;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(kv_macs_per_token(shape), tokens, &product)) {
    throw core::CheckError(shape.name + ": the multiply-adds of " + std::to_string(tokens) +
                           " tokens do not fit in 63 bits");
  }
  return product;
}

}  // namespace ridgepoint::workloads
