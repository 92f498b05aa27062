// SPDX-License-Identifier: Apache-2.0
// The frame of a step: embedding, layers, head; plain attention and dense feed-forward blocks.
#include "workloads/step/step_builder.hpp"

#include "kernels/activation/activation.hpp"
#include "kernels/embedding/embedding.hpp"
#include "kernels/linear/linear.hpp"
#include "kernels/norm/norm.hpp"
#include "kernels/rope/rope.hpp"
#include "kernels/sampling/sample.hpp"
#include "workloads/step/nonlinearity.hpp"

namespace ridgepoint::workloads {

kernels::Nonlinearity nonlinearity_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return kernels::Nonlinearity::kGelu;
    case Activation::kGeGlu:
      return kernels::Nonlinearity::kGeGlu;
    case Activation::kSwiGluClamped:
      return kernels::Nonlinearity::kSwiGluClamped;
    case Activation::kSwiGlu:
      break;
  }
  return kernels::Nonlinearity::kSwiGlu;
}

StepBuilder::StepBuilder(const isa::CoreShape& shape, const Placement& placement,
                         const StepOptions& options, std::shared_ptr<StepData> data)
    : shape_(shape),
      p_(placement),
      options_(options),
      data_(std::move(data)),
      rows_(static_cast<std::int64_t>(data_->tokens.size())),
      x_(rows_of(p_.x)),
      normed_(rows_of(p_.normed)),
      attended_(rows_of(p_.attended)) {}

std::vector<isa::Kernel> StepBuilder::build() {
  embed();
  for (const LayerPlacement& one : p_.layers()) {
    attention_block(one);
    feed_forward_block(one);
  }
  if (!data_->sampled_rows.empty()) head();
  return std::move(kernels_);
}

void StepBuilder::add(isa::Kernel kernel) {
  kernel.program = [data = data_, program = std::move(kernel.program)](isa::CorePort& core) {
    return program(core);
  };
  kernels_.push_back(std::move(kernel));
}

void StepBuilder::embed() {
  add(kernels::embedding(
      shape_, {p_.table(), p_.positions(), x_, data_->tokens.data(), data_->positions.data()},
      "embedding"));
}

void StepBuilder::norm(const kernels::Tensor& x, const kernels::Tensor& y,
                       const kernels::Tensor& weight, const std::optional<kernels::Tensor>& bias,
                       const char* name) {
  kernels::NormArgs args;
  args.x = x;
  args.y = y;
  args.weight = weight;
  args.bias = bias;
  args.eps = p_.shape().norm_eps;
  add(kernels::norm(shape_, args, name));
}

void StepBuilder::project(const kernels::Tensor& from, const kernels::Weight& weight,
                          const std::optional<kernels::Tensor>& bias,
                          const std::optional<kernels::Tensor>& post_norm, const char* name,
                          const char* norm_name) {
  if (!post_norm) {
    add(kernels::linear(shape_, {from, weight, x_, bias, x_}, name));
    return;
  }
  const kernels::Tensor branch = rows_of(p_.branch);
  add(kernels::linear(shape_, {from, weight, branch, bias, std::nullopt}, name));
  kernels::NormArgs args;
  args.x = branch;
  args.y = x_;
  args.weight = *post_norm;
  args.eps = p_.shape().norm_eps;
  args.residual = x_;
  add(kernels::norm(shape_, args, norm_name));
}

void StepBuilder::attention_block(const LayerPlacement& layer) {
  norm(x_, normed_, layer.attn_norm, layer.attn_norm_bias, "norm.attention");
  if (layer.latent) {
    latent_attention(layer);
  } else {
    plain_attention(layer);
  }
  project(attended_, layer.o, layer.o_bias, layer.attn_post_norm, "linear.o",
          "norm.post_attention");
}

kernels::AttentionArgs StepBuilder::attention_args(const LayerPlacement& layer) const {
  kernels::AttentionArgs args;
  args.out = attended_;
  args.cache = layer.cache;
  args.heads = p_.shape().heads;
  args.sequences = data_->sequences;
  args.most_splits = options_.attention_splits;
  args.workspace_address = p_.workspace_address;
  return args;
}

void StepBuilder::plain_attention(const LayerPlacement& layer) {
  const ModelShape& m = p_.shape();
  const kernels::Tensor qkv = rows_of(p_.qkv);
  add(kernels::linear(shape_, {normed_, layer.qkv, qkv, layer.qkv_bias, std::nullopt},
                      "linear.qkv"));
  kernels::RopeAppendArgs rope;
  rope.qkv = qkv;
  rope.cache = layer.cache;
  rope.heads = m.heads;
  rope.theta = layer.windowed && m.rope_theta_local != 0 ? m.rope_theta_local : m.rope_theta;
  rope.rotary_dim = m.rotary_dim;
  rope.sequences = data_->sequences;
  rope.q_norm = layer.q_norm;
  rope.k_norm = layer.k_norm;
  rope.eps = m.norm_eps;
  add(kernels::rope_append(shape_, rope, "rope_append"));
  kernels::AttentionArgs args = attention_args(layer);
  args.q = qkv;
  args.window = layer.windowed ? m.sliding_window : 0;
  args.sinks = layer.sinks;
  const bool both = m.sliding_window > 0 && m.window_global_layers > 0;
  add(kernels::attention(shape_, args, both && layer.windowed ? "attention.local" : "attention"));
}

void StepBuilder::feed_forward_block(const LayerPlacement& layer) {
  norm(x_, normed_, layer.ffn_norm, layer.ffn_norm_bias, "norm.feed_forward");
  if (layer.experts) return experts(layer);
  dense(layer.dense, rows_of(p_.up), rows_of(p_.activated), layer.ffn_post_norm, "linear.up",
        "activation", "linear.down");
}

void StepBuilder::dense(const FeedForwardPlacement& block, const kernels::Tensor& up,
                        const kernels::Tensor& activated,
                        const std::optional<kernels::Tensor>& post_norm, const char* up_name,
                        const char* activation_name, const char* down_name) {
  add(kernels::linear(shape_, {normed_, block.up, up, block.up_bias, std::nullopt}, up_name));
  add(kernels::activation(shape_, {nonlinearity_of(p_.shape().activation), up, activated},
                          activation_name));
  project(activated, block.down, block.down_bias, post_norm, down_name, "norm.post_feed_forward");
}

void StepBuilder::head() {
  const auto rows = static_cast<std::int64_t>(data_->sampled_rows.size());
  const auto top = [rows](kernels::Tensor tensor) {
    tensor.rows = rows;
    return tensor;
  };
  const kernels::Tensor sampled = top(p_.sampled), logits = top(p_.logits);
  kernels::NormArgs args;
  args.x = x_;
  args.y = sampled;
  args.weight = p_.final_norm();
  args.bias = p_.final_norm_bias();
  args.eps = p_.shape().norm_eps;
  args.gather = data_->sampled_rows.data();
  add(kernels::norm(shape_, args, "norm.final"));
  add(kernels::linear(shape_, {sampled, p_.head(), logits, std::nullopt, std::nullopt},
                      "linear.head"));
  add(kernels::sample(shape_, {logits, top(p_.chosen), options_.choose}, "sample"));
}

}  // namespace ridgepoint::workloads
