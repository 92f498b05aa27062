// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/reference_model.hpp"

#include <string>
#include <utility>

#include "kernels/activation/reference.hpp"
#include "kernels/attention/reference.hpp"
#include "kernels/embedding/reference.hpp"
#include "kernels/linear/reference.hpp"
#include "kernels/norm/reference.hpp"
#include "kernels/residual/reference.hpp"
#include "kernels/rope/reference.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

using core::DType;
using Values = std::vector<float>;

void round_to(DType dtype, std::span<float> values) {
  if (dtype == DType::kFp32) return;
  for (float& value : values) {
    value = dtype == DType::kFp16 ? core::float_from_fp16(core::fp16_from_float(value))
                                  : core::float_from_bf16(core::bf16_from_float(value));
  }
}

Values stored(const LoadedModel& model, const std::string& name, DType dtype) {
  return to_floats(converted(model.tensor(name), dtype));
}

}  // namespace

ReferenceModel::ReferenceModel(const LoadedModel& model, const StorageFormats& formats)
    : shape_(model.shape), formats_(formats) {
  embedding_ = stored(model, "embedding", formats_.weights);
  if (shape_.learned_positions()) {
    positions_ = stored(model, "position_embedding", formats_.weights);
  } else {
    const double local = shape_.rope_theta_local != 0 ? shape_.rope_theta_local : shape_.rope_theta;
    rope_table_ =
        kernels::make_rope_table(shape_.rope_theta, shape_.rotary_dim, shape_.max_context);
    rope_table_local_ = kernels::make_rope_table(local, shape_.rotary_dim, shape_.max_context);
  }
  for (std::int64_t i = 0; i < shape_.layers; ++i) layers_.push_back(make_layer(model, i));
  final_norm_ = norm(model, "final_norm");
  if (!shape_.tied_embeddings) lm_head_ = stored(model, "lm_head", formats_.weights);
}

ReferenceModel::Linear ReferenceModel::matrix(const LoadedModel& model, const std::string& name,
                                              bool bias) const {
  return {stored(model, name, formats_.weights),
          bias ? stored(model, name + "_bias", formats_.weights) : Values{}};
}

ReferenceModel::Linear ReferenceModel::norm(const LoadedModel& model,
                                            const std::string& name) const {
  const bool bias = shape_.norm == NormKind::kLayerNorm;
  return {stored(model, name, formats_.norms),
          bias ? stored(model, name + "_bias", formats_.norms) : Values{}};
}

ReferenceModel::Layer ReferenceModel::make_layer(const LoadedModel& model,
                                                 std::int64_t index) const {
  const auto name = [index](const char* part) { return layer_tensor(index, part); };
  Layer layer;
  layer.attn_norm = norm(model, name("attn_norm"));
  layer.q = matrix(model, name("q"), shape_.qkv_bias);
  layer.k = matrix(model, name("k"), shape_.qkv_bias);
  layer.v = matrix(model, name("v"), shape_.qkv_bias);
  layer.o = matrix(model, name("o"), shape_.other_bias);
  if (shape_.qk_norm) {
    layer.q_norm = stored(model, name("q_norm"), formats_.norms);
    layer.k_norm = stored(model, name("k_norm"), formats_.norms);
  }
  layer.ffn_norm = norm(model, name("ffn_norm"));
  if (shape_.gated()) layer.gate = matrix(model, name("gate"), shape_.other_bias);
  layer.up = matrix(model, name("up"), shape_.other_bias);
  layer.down = matrix(model, name("down"), shape_.other_bias);
  return layer;
}

Values ReferenceModel::apply(const Values& x, const Linear& linear, std::int64_t k) const {
  Values y(x.size() / static_cast<std::size_t>(k) *
           (linear.weight.size() / static_cast<std::size_t>(k)));
  kernels::linear_reference(x, linear.weight, linear.bias, k, y);
  round_to(formats_.activations, y);
  return y;
}

Values ReferenceModel::apply_norm(const Values& x, const Linear& norm) const {
  Values out(x.size());
  const auto eps = static_cast<float>(shape_.norm_eps);
  if (shape_.norm == NormKind::kLayerNorm) {
    kernels::layernorm_reference(x, norm.weight, norm.bias, eps, out);
  } else {
    kernels::rmsnorm_reference(x, norm.weight, eps, out);
  }
  round_to(formats_.activations, out);
  return out;
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
                               kernels::as_const(cache), mixed);
  round_to(formats_.activations, mixed);
  return apply(mixed, layer.o, shape_.q_dim());
}

Values ReferenceModel::feed_forward(const Values& x, const Layer& layer) const {
  Values up = apply(x, layer.up, shape_.d_model);
  if (shape_.activation == Activation::kGelu) {
    kernels::gelu_reference(up, up);
  } else {
    const Values gate = apply(x, layer.gate, shape_.d_model);
    if (shape_.activation == Activation::kSwiGlu) {
      kernels::swiglu_reference(gate, up, up);
    } else {
      kernels::geglu_reference(gate, up, up);
    }
  }
  round_to(formats_.activations, up);
  return apply(up, layer.down, shape_.ffn_dim);
}

void ReferenceModel::check_tokens(std::span<const std::int32_t> tokens) const {
  if (tokens.empty()) core::fail_input({}, "tokens", "0", "are too few", "at least one");
  const std::int64_t end = cached_ + static_cast<std::int64_t>(tokens.size());
  if (end > shape_.max_context) {
    core::fail_input({}, "context", std::to_string(end), "is beyond the model",
                     "up to " + std::to_string(shape_.max_context) + " tokens");
  }
  for (const std::int32_t token : tokens) {
    if (token < 0 || token >= shape_.vocab) {
      core::fail_input({}, "token", std::to_string(token), "is not in the vocabulary",
                       "0 to " + std::to_string(shape_.vocab - 1));
    }
  }
}

Values ReferenceModel::hidden(std::span<const std::int32_t> tokens) {
  check_tokens(tokens);
  const std::int64_t d = shape_.d_model;
  Values x(tokens.size() * static_cast<std::size_t>(d));
  kernels::embedding_reference(embedding_, tokens, d, x);
  if (shape_.learned_positions()) kernels::add_positions_reference(positions_, cached_, d, x);
  round_to(formats_.residual, x);
  for (std::int64_t i = 0; i < shape_.layers; ++i) {
    Layer& layer = layers_[static_cast<std::size_t>(i)];
    kernels::residual_reference(x, attention(apply_norm(x, layer.attn_norm), layer, i));
    round_to(formats_.residual, x);
    kernels::residual_reference(x, feed_forward(apply_norm(x, layer.ffn_norm), layer));
    round_to(formats_.residual, x);
  }
  cached_ += static_cast<std::int64_t>(tokens.size());
  return x;
}

Values ReferenceModel::head(const Values& x) const {
  const Values& weight = shape_.tied_embeddings ? embedding_ : lm_head_;
  const Values normed = apply_norm(x, final_norm_);
  Values logits(x.size() / static_cast<std::size_t>(shape_.d_model) *
                static_cast<std::size_t>(shape_.vocab));
  kernels::linear_reference(normed, weight, {}, shape_.d_model, logits);
  round_to(formats_.logits, logits);
  return logits;
}

Values ReferenceModel::forward(std::span<const std::int32_t> tokens) {
  return head(hidden(tokens));
}

Values ReferenceModel::forward_last(std::span<const std::int32_t> tokens) {
  const Values x = hidden(tokens);
  return head(Values(x.end() - shape_.d_model, x.end()));
}

std::vector<std::int32_t> generate_reference(ReferenceModel& model,
                                             std::span<const std::int32_t> prompt,
                                             std::int64_t steps, std::int32_t stop_token,
                                             const kernels::SamplingConfig& sampling,
                                             bool use_cache,
                                             std::vector<std::vector<float>>* logits) {
  std::vector<std::int32_t> all(prompt.begin(), prompt.end());
  std::vector<std::int32_t> generated;
  model.reset();
  std::size_t fed = 0;
  while (static_cast<std::int64_t>(generated.size()) < steps &&
         static_cast<std::int64_t>(all.size()) <= model.shape().max_context) {
    if (!use_cache) {
      model.reset();
      fed = 0;
    }
    std::vector<float> row = model.forward_last(std::span(all).subspan(fed));
    fed = all.size();
    const std::int32_t token = kernels::sample_reference(row, sampling, generated.size());
    if (logits != nullptr) logits->push_back(std::move(row));
    generated.push_back(token);
    if (token == stop_token) break;
    all.push_back(token);
  }
  return generated;
}

}  // namespace ridgepoint::workloads
