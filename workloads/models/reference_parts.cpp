// SPDX-License-Identifier: Apache-2.0
// The blocks of a layer in the plain forward pass: making them from a model, and computing them.
#include <algorithm>
#include <string>

#include "kernels/activation/reference.hpp"
#include "kernels/attention/reference.hpp"
#include "kernels/experts/reference.hpp"
#include "kernels/kv_append/reference.hpp"
#include "kernels/linear/reference.hpp"
#include "kernels/norm/reference.hpp"
#include "kernels/residual/reference.hpp"
#include "kernels/rope/reference.hpp"
#include "sim/core/narrow_formats.hpp"
#include "workloads/models/reference_model.hpp"

namespace ridgepoint::workloads {
namespace {

using core::DType;
using Values = std::vector<float>;

void round_to(DType dtype, std::span<float> values) {
  if (dtype == DType::kFp32) return;
  for (float& value : values) value = core::rounded_to(dtype, value);
}

Values stored(const LoadedModel& model, const std::string& name, DType dtype) {
  return to_floats(converted(model.tensor(name), dtype));
}

}  // namespace

void ReferenceModel::make_attention(const LoadedModel& model, std::int64_t index,
                                    Layer& layer) const {
  const auto name = [index](const char* part) { return layer_tensor(index, part); };
  layer.o = matrix(model, name("o"), shape_.other_bias);
  if (shape_.mla) {
    if (shape_.mla->q_lora > 0) {
      layer.q_down = matrix(model, name("q_down"), false);
      layer.q_down_norm = {stored(model, name("q_down_norm"), formats_.norms), {}};
    }
    layer.q = matrix(model, name("q"), false);
    layer.kv_down = matrix(model, name("kv_down"), false);
    layer.kv_down_norm = {stored(model, name("kv_down_norm"), formats_.norms), {}};
    layer.uk = stored(model, name("uk"), formats_.weights);
    layer.uv = stored(model, name("uv"), formats_.weights);
    return;
  }
  layer.q = matrix(model, name("q"), shape_.qkv_bias);
  layer.k = matrix(model, name("k"), shape_.qkv_bias);
  layer.v = matrix(model, name("v"), shape_.qkv_bias);
  if (shape_.qk_norm) {
    layer.q_norm = stored(model, name("q_norm"), formats_.norms);
    layer.k_norm = stored(model, name("k_norm"), formats_.norms);
  }
  if (shape_.attention_sinks) layer.sinks = stored(model, name("sinks"), formats_.norms);
}

ReferenceModel::FeedForward ReferenceModel::make_feed_forward(const LoadedModel& model,
                                                              const std::string& prefix,
                                                              std::int64_t width) const {
  FeedForward block;
  block.width = width;
  if (shape_.gated()) block.gate = matrix(model, prefix + "gate", shape_.other_bias);
  block.up = matrix(model, prefix + "up", shape_.other_bias);
  block.down = matrix(model, prefix + "down", shape_.other_bias);
  return block;
}

ReferenceModel::Layer ReferenceModel::make_layer(const LoadedModel& model,
                                                 std::int64_t index) const {
  const auto name = [index](const char* part) { return layer_tensor(index, part); };
  Layer layer;
  layer.attn_norm = norm(model, name("attn_norm"));
  layer.ffn_norm = norm(model, name("ffn_norm"));
  if (shape_.norms_per_layer == 4) {
    layer.attn_post_norm = {stored(model, name("attn_post_norm"), formats_.norms), {}};
    layer.ffn_post_norm = {stored(model, name("ffn_post_norm"), formats_.norms), {}};
  }
  make_attention(model, index, layer);
  if (!shape_.is_moe_layer(index)) {
    layer.dense = make_feed_forward(model, name(""), shape_.ffn_dim);
    return layer;
  }
  const MoeShape& moe = *shape_.moe;
  layer.router = matrix(model, name("router"), moe.router_bias);
  for (std::int64_t e = 0; e < moe.experts; ++e) {
    const std::string part = "experts." + std::to_string(e) + ".";
    layer.experts.push_back(make_feed_forward(model, layer_tensor(index, part), moe.ffn_dim));
  }
  if (moe.shared_experts > 0) {
    layer.shared = make_feed_forward(model, name("shared."), moe.shared_experts * moe.ffn_dim);
  }
  return layer;
}

Values ReferenceModel::attention(const Values& x, Layer& layer, std::int64_t index) {
  const std::int64_t d = shape_.d_model;
  Values q = apply(x, layer.q, d);
  Values k = apply(x, layer.k, d);
  Values v = apply(x, layer.v, d);
  if (shape_.qk_norm) {
    const auto eps = static_cast<float>(shape_.norm_eps);
    kernels::rmsnorm_reference(q, layer.q_norm, eps, q);
    kernels::rmsnorm_reference(k, layer.k_norm, eps, k);
    round_to(formats_.activations, q);
    round_to(formats_.activations, k);
  }
  const bool windowed = shape_.is_windowed(index);
  if (!shape_.learned_positions()) {
    const Values& table = windowed ? rope_table_local_ : rope_table_;
    kernels::rope_reference(q, shape_.heads, shape_.head_dim, shape_.rotary_dim, cached_, table);
    kernels::rope_reference(k, shape_.kv_heads, shape_.head_dim, shape_.rotary_dim, cached_, table);
    round_to(formats_.activations, q);
  }
  round_to(formats_.kv, k);
  round_to(formats_.kv, v);

  layer.cache_k.resize(static_cast<std::size_t>(cached_ * shape_.kv_dim()) + k.size());
  layer.cache_v.resize(layer.cache_k.size());
  const kernels::ReferenceCache cache{
      layer.cache_k, layer.cache_v, shape_.kv_heads, shape_.head_dim, 0, {}};
  kernels::kv_append_reference(k, v, cached_, cache);
  Values mixed(q.size());
  kernels::attention_reference(q, shape_.heads, cached_, windowed ? shape_.sliding_window : 0,
                               kernels::as_const(cache), mixed, layer.sinks);
  round_to(formats_.activations, mixed);
  return apply(mixed, layer.o, shape_.q_dim());
}

Values ReferenceModel::latent_attention(const Values& x, Layer& layer) {
  const MlaShape& m = *shape_.mla;
  const auto eps = static_cast<float>(shape_.norm_eps);
  const std::int64_t d = shape_.d_model, row = m.kv_lora + m.qk_rope, dim = m.qk_nope + m.qk_rope;
  const std::int64_t tokens = static_cast<std::int64_t>(x.size()) / d;
  Values q;
  if (m.q_lora > 0) {
    Values low = apply(x, layer.q_down, d);
    kernels::rmsnorm_reference(low, layer.q_down_norm.weight, eps, low);
    round_to(formats_.activations, low);
    q = apply(low, layer.q, m.q_lora);
  } else {
    q = apply(x, layer.q, d);
  }
  Values kv = apply(x, layer.kv_down, d);
  const auto turn = [&](float* numbers, std::int64_t position) {
    kernels::rope_reference({numbers, static_cast<std::size_t>(m.qk_rope)}, 1, m.qk_rope, m.qk_rope,
                            position, rope_table_);
  };
  layer.cache_k.resize(static_cast<std::size_t>(cached_ * row));
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::span<float> latent(kv.data() + t * row, static_cast<std::size_t>(m.kv_lora));
    kernels::rmsnorm_reference(latent, layer.kv_down_norm.weight, eps, latent);
    turn(kv.data() + t * row + m.kv_lora, cached_ + t);
    for (std::int64_t h = 0; h < shape_.heads; ++h) {
      turn(q.data() + (t * shape_.heads + h) * dim + m.qk_nope, cached_ + t);
    }
  }
  round_to(formats_.activations, q);
  round_to(formats_.kv, kv);
  layer.cache_k.insert(layer.cache_k.end(), kv.begin(), kv.end());
  Values mixed(static_cast<std::size_t>(tokens * shape_.heads * m.v_dim));
  kernels::latent_attention_reference(q, {shape_.heads, m.qk_nope, m.qk_rope, m.kv_lora, m.v_dim},
                                      layer.cache_k, layer.uk, layer.uv, mixed);
  round_to(formats_.activations, mixed);
  return apply(mixed, layer.o, shape_.heads * m.v_dim);
}

Values ReferenceModel::feed_forward(const Values& x, const FeedForward& block) const {
  Values up = apply(x, block.up, shape_.d_model);
  if (shape_.activation == Activation::kGelu) {
    kernels::gelu_reference(up, up);
  } else {
    const Values gate = apply(x, block.gate, shape_.d_model);
    if (shape_.activation == Activation::kSwiGlu) {
      kernels::swiglu_reference(gate, up, up);
    } else if (shape_.activation == Activation::kGeGlu) {
      kernels::geglu_reference(gate, up, up);
    } else {
      kernels::clamped_swiglu_reference(gate, up, up);
    }
  }
  round_to(formats_.activations, up);
  return apply(up, block.down, block.width);
}

Values ReferenceModel::mixture(const Values& x, const Layer& layer) const {
  const MoeShape& moe = *shape_.moe;
  const auto d = static_cast<std::size_t>(shape_.d_model);
  const std::size_t tokens = x.size() / d, active = static_cast<std::size_t>(moe.active);
  Values logits(tokens * static_cast<std::size_t>(moe.experts));
  kernels::linear_reference(x, layer.router.weight, layer.router.bias, shape_.d_model, logits);
  std::vector<std::int64_t> expert(tokens * active);
  Values gate(expert.size()), outputs(expert.size() * d), sum(x.size());
  kernels::top_k_reference(logits, moe.experts, moe.active, expert, gate);
  for (std::size_t pair = 0; pair < expert.size(); ++pair) {
    const auto from = x.begin() + static_cast<std::ptrdiff_t>(pair / active * d);
    const Values row(from, from + static_cast<std::ptrdiff_t>(d));
    const Values y = feed_forward(row, layer.experts[static_cast<std::size_t>(expert[pair])]);
    std::copy(y.begin(), y.end(), outputs.begin() + static_cast<std::ptrdiff_t>(pair * d));
  }
  kernels::combine_reference(outputs, gate, moe.active, shape_.d_model, sum);
  if (moe.shared_experts > 0) {
    kernels::residual_reference(sum, feed_forward(x, layer.shared));
  }
  return sum;
}

}  // namespace ridgepoint::workloads
