// SPDX-License-Identifier: Apache-2.0
// Which tensors a model has, in the order in which they stand in memory.
#include <algorithm>
#include <numeric>
#include <string>

#include "workloads/step/placement.hpp"

namespace ridgepoint::workloads {
namespace {

std::string expert_name(std::int64_t layer, std::int64_t expert, const char* part) {
  return layer_tensor(layer, "experts." + std::to_string(expert) + "." + part);
}

}  // namespace

void Placement::plain_attention(const LoadedModel* model, std::int64_t index, LayerPlacement& to) {
  const auto name = [index](const char* part) { return layer_tensor(index, part); };
  const core::DType weights = spec_.formats.weights;
  const std::int64_t n = shape_.q_dim() + 2 * shape_.kv_dim();
  to.qkv = matrix(model, {name("q"), name("k"), name("v")}, n, shape_.d_model);
  if (shape_.qkv_bias) {
    to.qkv_bias = table(model, {name("q_bias"), name("k_bias"), name("v_bias")}, 1, n, weights);
  }
  to.o = matrix(model, {name("o")}, shape_.d_model, shape_.q_dim());
  if (shape_.other_bias) to.o_bias = table(model, {name("o_bias")}, 1, shape_.d_model, weights);
  if (shape_.qk_norm) {
    to.q_norm = vector(model, name("q_norm"), shape_.head_dim);
    to.k_norm = vector(model, name("k_norm"), shape_.head_dim);
  }
  if (shape_.attention_sinks) to.sinks = vector(model, name("sinks"), shape_.heads);
}

LatentPlacement Placement::latent(const LoadedModel* model, std::int64_t index) {
  const auto name = [index](const char* part) { return layer_tensor(index, part); };
  const MlaShape& m = *shape_.mla;
  const std::int64_t q_out = shape_.heads * (m.qk_nope + m.qk_rope);
  LatentPlacement to;
  if (m.q_lora > 0) {
    to.q_down = matrix(model, {name("q_down")}, m.q_lora, shape_.d_model);
    to.q_norm = vector(model, name("q_down_norm"), m.q_lora);
  }
  to.q = matrix(model, {name("q")}, q_out, m.q_lora > 0 ? m.q_lora : shape_.d_model);
  to.kv_down = matrix(model, {name("kv_down")}, m.kv_lora + m.qk_rope, shape_.d_model);
  to.kv_norm = vector(model, name("kv_down_norm"), m.kv_lora);
  // Whole panels per head, so that the heads of a prefill are one matrix.
  to.uk = grouped(model, {name("uk")}, shape_.heads, m.qk_nope, m.kv_lora,
                  std::gcd(spec_.panel_rows, m.qk_nope));
  to.uv = grouped(model, {name("uv")}, shape_.heads, m.v_dim, m.kv_lora,
                  std::gcd(spec_.panel_rows, m.v_dim));
  return to;
}

FeedForwardPlacement Placement::feed_forward(const LoadedModel* model, std::int64_t index,
                                             const std::string& prefix, std::int64_t width) {
  const auto name = [&](const char* part) { return layer_tensor(index, prefix + part); };
  const std::int64_t d = shape_.d_model, rows = (shape_.gated() ? 2 : 1) * width;
  const core::DType weights = spec_.formats.weights;
  FeedForwardPlacement to;
  const Names inner = shape_.gated() ? Names{name("gate"), name("up")} : Names{name("up")};
  to.up = matrix(model, inner, rows, d);
  to.down = matrix(model, {name("down")}, d, width);
  if (shape_.other_bias) {
    const Names bias =
        shape_.gated() ? Names{name("gate_bias"), name("up_bias")} : Names{name("up_bias")};
    to.up_bias = table(model, bias, 1, rows, weights);
    to.down_bias = table(model, {name("down_bias")}, 1, d, weights);
  }
  return to;
}

ExpertPlacement Placement::experts(const LoadedModel* model, std::int64_t index) {
  const MoeShape& moe = *shape_.moe;
  const std::int64_t d = shape_.d_model, f = moe.ffn_dim;
  const std::int64_t rows = (shape_.gated() ? 2 : 1) * f;
  const core::DType weights = spec_.formats.weights;
  Names inner, outer, up_bias, down_bias;
  for (std::int64_t e = 0; model != nullptr && e < moe.experts; ++e) {
    if (shape_.gated()) inner.push_back(expert_name(index, e, "gate"));
    inner.push_back(expert_name(index, e, "up"));
    outer.push_back(expert_name(index, e, "down"));
    if (shape_.gated()) up_bias.push_back(expert_name(index, e, "gate_bias"));
    up_bias.push_back(expert_name(index, e, "up_bias"));
    down_bias.push_back(expert_name(index, e, "down_bias"));
  }
  ExpertPlacement to;
  to.router = matrix(model, {layer_tensor(index, "router")}, moe.experts, d);
  if (moe.router_bias) {
    to.router_bias = table(model, {layer_tensor(index, "router_bias")}, 1, moe.experts, weights);
  }
  to.up = grouped(model, inner, moe.experts, rows, d, spec_.panel_rows);
  to.down = grouped(model, outer, moe.experts, d, f, spec_.panel_rows);
  if (shape_.other_bias) {
    to.up_bias = table(model, up_bias, moe.experts, rows, weights);
    to.down_bias = table(model, down_bias, moe.experts, d, weights);
  }
  if (moe.shared_experts > 0) {
    to.shared = feed_forward(model, index, "shared.", moe.shared_experts * f);
  }
  return to;
}

LayerPlacement Placement::layer(const LoadedModel* model, std::int64_t index) {
  const auto name = [index](const char* part) { return layer_tensor(index, part); };
  const std::int64_t d = shape_.d_model;
  LayerPlacement to;
  to.windowed = shape_.is_windowed(index);
  to.attn_norm = vector(model, name("attn_norm"), d);
  to.ffn_norm = vector(model, name("ffn_norm"), d);
  if (shape_.norm == NormKind::kLayerNorm) {
    to.attn_norm_bias = vector(model, name("attn_norm_bias"), d);
    to.ffn_norm_bias = vector(model, name("ffn_norm_bias"), d);
  }
  if (shape_.norms_per_layer == 4) {
    to.attn_post_norm = vector(model, name("attn_post_norm"), d);
    to.ffn_post_norm = vector(model, name("ffn_post_norm"), d);
  }
  if (shape_.mla) {
    to.latent = latent(model, index);
    to.o = matrix(model, {name("o")}, d, shape_.heads * shape_.mla->v_dim);
  } else {
    plain_attention(model, index, to);
  }
  if (shape_.is_moe_layer(index)) {
    to.experts = experts(model, index);
  } else {
    to.dense = feed_forward(model, index, "", shape_.ffn_dim);
  }
  return to;
}

void Placement::place_activations() {
  const core::DType act = spec_.formats.activations;
  const std::int64_t t = spec_.max_tokens, r = spec_.max_sampled, d = shape_.d_model;
  const std::int64_t halves = shape_.gated() ? 2 : 1;
  const std::int64_t f = shape_.ffn_dim;
  x = activation(t, d, act);
  normed = activation(t, d, act);
  if (shape_.norms_per_layer == 4) branch = activation(t, d, act);
  if (shape_.mla) {
    const MlaShape& m = *shape_.mla;
    const std::int64_t heads = shape_.heads, latent = m.kv_lora + m.qk_rope;
    if (m.q_lora > 0) q_low = activation(t, m.q_lora, act);
    qkv = activation(t, heads * (m.qk_nope + m.qk_rope), act);
    kv_low = activation(t, latent, act);
    q_latent = activation(t, heads * latent, act);
    out_latent = activation(t, heads * m.kv_lora, act);
    attended = activation(t, heads * m.v_dim, act);
    const std::int64_t rows = std::max<std::int64_t>(1, spec_.expand_rows);
    expanded_k = activation(rows, heads * m.qk_nope, act);
    expanded_v = activation(rows, heads * m.v_dim, act);
    expanded_latent = activation(rows, latent, act);
  } else {
    qkv = activation(t, shape_.q_dim() + 2 * shape_.kv_dim(), act);
    attended = activation(t, shape_.q_dim(), act);
  }
  if (!shape_.moe || shape_.moe->first_dense_layers > 0) {
    up = activation(t, halves * f, act);
    activated = activation(t, f, act);
  }
  if (shape_.moe) {
    const MoeShape& moe = *shape_.moe;
    const std::int64_t pairs = t * moe.active, shared = moe.shared_experts * moe.ffn_dim;
    router_logits = activation(t, moe.experts, core::DType::kFp32);
    gates = activation(t, moe.active, core::DType::kFp32);
    expert_up = activation(pairs, halves * moe.ffn_dim, act);
    expert_activated = activation(pairs, moe.ffn_dim, act);
    expert_out = activation(pairs, d, act);
    if (shared > 0) {
      shared_up = activation(t, halves * shared, act);
      shared_activated = activation(t, shared, act);
    }
  }
  sampled = activation(r, d, act);
  logits = activation(r, shape_.vocab, core::DType::kFp32);
  chosen = activation(r, 1, core::DType::kFp32);
  workspace_address = allocate(spec_.workspace_bytes, "activations");
}

void Placement::place_cache() {
  for (LayerPlacement& layer : layers_) {
    kernels::KvCache& cache = layer.cache;
    cache.dtype = spec_.formats.kv;
    cache.latent = shape_.mla.has_value();
    cache.kv_heads = cache.latent ? 1 : shape_.kv_heads;
    cache.head_dim = cache.latent ? shape_.mla->kv_lora + shape_.mla->qk_rope : shape_.head_dim;
    cache.block_tokens = spec_.block_tokens;
    const auto bytes = static_cast<std::uint64_t>(spec_.kv_blocks * cache.block_bytes());
    cache.address = allocate(bytes, "KV cache");
    cache.values = values_for(bytes);
  }
}

void Placement::place(const LoadedModel* model) {
  check_formats();
  const std::int64_t d = shape_.d_model;
  const core::DType weights = spec_.formats.weights;
  table_ = table(model, {"embedding"}, shape_.vocab, d, weights);
  if (shape_.learned_positions()) {
    positions_ = table(model, {"position_embedding"}, shape_.max_context, d, weights);
  }
  for (std::int64_t l = 0; l < shape_.layers; ++l) layers_.push_back(layer(model, l));
  final_norm_ = vector(model, "final_norm", d);
  if (shape_.norm == NormKind::kLayerNorm) final_norm_bias_ = vector(model, "final_norm_bias", d);
  if (shape_.tied_embeddings) {
    head_ = {weights,        shape_.vocab,  d,           spec_.panel_rows,
             table_.address, table_.values, table_.scale};
    allocate(head_.footprint_bytes() - table_.bytes(), "weights");  // the last panel's padding
  } else {
    head_ = matrix(model, {"lm_head"}, shape_.vocab, d);
  }
  place_activations();
  place_cache();
  check_fits();
}

}  // namespace ridgepoint::workloads
