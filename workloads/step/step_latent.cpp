// SPDX-License-Identifier: Apache-2.0
// Latent attention in a step. Decode rows stay in the latent space (absorbed): queries are brought
// there per head, all heads share one cached vector per token. Prefill expands the sequence's
// latents to keys and values of every head and attends there, which costs fewer FLOPs per pair of
// tokens.
#include <cmath>

#include "kernels/grouped/grouped.hpp"
#include "kernels/latent/latent.hpp"
#include "kernels/linear/linear.hpp"
#include "workloads/step/step_builder.hpp"

namespace ridgepoint::workloads {
namespace {

kernels::Tensor with_rows(kernels::Tensor tensor, std::int64_t rows) {
  tensor.rows = rows;
  return tensor;
}

// One group per head: `rows` rows from row0, columns of the head in x and in y.
std::vector<kernels::LinearGroup> heads_of(std::int64_t heads, std::int64_t row0, std::int64_t rows,
                                           std::int64_t x_width, std::int64_t y_width) {
  std::vector<kernels::LinearGroup> groups;
  for (std::int64_t h = 0; h < heads; ++h) {
    groups.push_back({h, row0, h * x_width, rows, row0, h * y_width});
  }
  return groups;
}

}  // namespace

void StepBuilder::latent_attention(const LayerPlacement& layer) {
  const ModelShape& m = p_.shape();
  const LatentPlacement& latent = *layer.latent;
  const kernels::Tensor q = rows_of(p_.qkv), kv = rows_of(p_.kv_low);
  if (latent.q_down) {
    const kernels::Tensor low = rows_of(p_.q_low);
    add(kernels::linear(shape_, {normed_, *latent.q_down, low, std::nullopt, std::nullopt},
                        "linear.q_down"));
    norm(low, low, *latent.q_norm, std::nullopt, "norm.q");
    add(kernels::linear(shape_, {low, latent.q, q, std::nullopt, std::nullopt}, "linear.q"));
  } else {
    add(kernels::linear(shape_, {normed_, latent.q, q, std::nullopt, std::nullopt}, "linear.q"));
  }
  add(kernels::linear(shape_, {normed_, latent.kv_down, kv, std::nullopt, std::nullopt},
                      "linear.kv_down"));
  add(kernels::latent_append(
      shape_,
      {kv, latent.kv_norm, layer.cache, m.mla->kv_lora, m.norm_eps, m.rope_theta, data_->sequences},
      "latent_append"));
  // Neighbouring decode rows go together.
  const auto expands = [this](const kernels::Sequence& one) {
    return one.new_tokens > 1 && one.context <= p_.spec().expand_rows;
  };
  const std::vector<kernels::Sequence>& all = data_->sequences;
  for (std::size_t i = 0; i < all.size();) {
    if (expands(all[i])) {
      latent_prefill(layer, all[i++]);
      continue;
    }
    std::size_t end = i;
    while (end < all.size() && !expands(all[end])) ++end;
    latent_decode(layer, {all.begin() + static_cast<std::ptrdiff_t>(i),
                          all.begin() + static_cast<std::ptrdiff_t>(end)});
    i = end;
  }
}

void StepBuilder::latent_decode(const LayerPlacement& layer,
                                std::vector<kernels::Sequence> sequences) {
  const MlaShape& m = *p_.shape().mla;
  const std::int64_t heads = p_.shape().heads, latent = m.kv_lora + m.qk_rope;
  const std::int64_t row0 = sequences.front().row0;
  const std::int64_t rows = sequences.back().row0 + sequences.back().new_tokens - row0;
  kernels::LatentQueryArgs turn;
  turn.q = rows_of(p_.qkv);
  turn.out = rows_of(p_.q_latent);
  turn.heads = heads;
  turn.nope = m.qk_nope;
  turn.rope = m.qk_rope;
  turn.out_dim = latent;
  turn.out_column = m.kv_lora;
  turn.row0 = row0;
  turn.rows = rows;
  turn.theta = p_.shape().rope_theta;
  turn.sequences = data_->sequences;
  add(kernels::latent_query(shape_, turn, "latent_query"));

  kernels::GroupedArgs absorb;
  absorb.x = rows_of(p_.qkv);
  absorb.y = rows_of(p_.q_latent);
  absorb.w = layer.latent->uk;
  absorb.transposed = true;
  absorb.groups = [=] { return heads_of(heads, row0, rows, m.qk_nope + m.qk_rope, latent); };
  add(kernels::grouped_linear(shape_, absorb, "linear.absorb_k"));

  kernels::AttentionArgs args = attention_args(layer);
  args.q = rows_of(p_.q_latent);
  args.out = rows_of(p_.out_latent);
  args.sequences = std::move(sequences);
  args.v_dim = m.kv_lora;
  args.scale = 1.0f / std::sqrt(static_cast<float>(m.qk_nope + m.qk_rope));
  add(kernels::attention(shape_, args, "attention.latent"));

  kernels::GroupedArgs values;
  values.x = rows_of(p_.out_latent);
  values.y = attended_;
  values.w = layer.latent->uv;
  values.groups = [=] { return heads_of(heads, row0, rows, m.kv_lora, m.v_dim); };
  add(kernels::grouped_linear(shape_, values, "linear.absorb_v"));
}

void StepBuilder::latent_prefill(const LayerPlacement& layer, const kernels::Sequence& sequence) {
  const MlaShape& m = *p_.shape().mla;
  const std::int64_t heads = p_.shape().heads;
  kernels::LatentQueryArgs turn;
  turn.q = rows_of(p_.qkv);
  turn.out = turn.q;
  turn.heads = heads;
  turn.nope = m.qk_nope;
  turn.rope = m.qk_rope;
  turn.out_dim = m.qk_nope + m.qk_rope;
  turn.out_column = m.qk_nope;
  turn.row0 = sequence.row0;
  turn.rows = sequence.new_tokens;
  turn.theta = p_.shape().rope_theta;
  turn.sequences = data_->sequences;
  add(kernels::latent_query(shape_, turn, "latent_query"));

  const kernels::Tensor latents = with_rows(p_.expanded_latent, sequence.context);
  const kernels::Tensor keys = with_rows(p_.expanded_k, sequence.context);
  const kernels::Tensor values = with_rows(p_.expanded_v, sequence.context);
  add(kernels::latent_gather(shape_, {layer.cache, sequence, latents}, "latent_gather"));
  add(kernels::linear(shape_,
                      {latents, layer.latent->uk.stacked(), keys, std::nullopt, std::nullopt},
                      "linear.expand_k"));
  add(kernels::linear(shape_,
                      {latents, layer.latent->uv.stacked(), values, std::nullopt, std::nullopt},
                      "linear.expand_v"));
  kernels::AttentionArgs args = attention_args(layer);
  args.q = rows_of(p_.qkv);
  args.sequences = {sequence};
  args.v_dim = m.v_dim;
  args.expanded = kernels::ExpandedKeys{keys, values, latents, m.qk_nope, m.qk_rope, m.kv_lora};
  add(kernels::attention(shape_, args, "attention"));
}

}  // namespace ridgepoint::workloads
