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
#include "sim/core/narrow_formats.hpp"

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

void ReferenceModel::check_tokens(std::span<const std::int32_t> tokens) const {
  if (tokens.empty()) core::fail_input({}, "", "0 tokens", "are too few", "at least one");
  const std::int64_t end = cached_ + static_cast<std::int64_t>(tokens.size());
  if (end > shape_.max_context) {
    core::fail_input({}, "position", std::to_string(end), "is beyond the model",
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
    const bool post = shape_.norms_per_layer == 4;
    const Values normed = apply_norm(x, layer.attn_norm);
    const Values mixed = shape_.mla ? latent_attention(normed, layer) : attention(normed, layer, i);
    kernels::residual_reference(x, post ? apply_norm(mixed, layer.attn_post_norm) : mixed);
    round_to(formats_.residual, x);
    const Values inner = apply_norm(x, layer.ffn_norm);
    const Values fed =
        shape_.is_moe_layer(i) ? mixture(inner, layer) : feed_forward(inner, layer.dense);
    kernels::residual_reference(x, post ? apply_norm(fed, layer.ffn_post_norm) : fed);
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
