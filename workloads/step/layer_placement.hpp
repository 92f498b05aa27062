// SPDX-License-Identifier: Apache-2.0
// The tensors of one layer, with their addresses.
#pragma once

#include <optional>

#include "kernels/grouped/grouped.hpp"
#include "kernels/kv_cache.hpp"
#include "kernels/tensor.hpp"

namespace ridgepoint::workloads {

// A feed-forward block's matrices; up: gate rows, then up rows, where the model has a gate.
struct FeedForwardPlacement {
  kernels::Weight up, down;
  std::optional<kernels::Tensor> up_bias, down_bias;
};

struct ExpertPlacement {
  kernels::Weight router;  // [experts, d]
  std::optional<kernels::Tensor> router_bias;
  kernels::GroupedWeight up, down;                    // per expert as above
  std::optional<kernels::Tensor> up_bias, down_bias;  // [experts, ...]
  std::optional<FeedForwardPlacement> shared;         // all shared experts side by side
};

// Latent attention. uk, uv: per head the rows that make keys and values from the latent.
struct LatentPlacement {
  std::optional<kernels::Weight> q_down;  // [q_lora, d]
  std::optional<kernels::Tensor> q_norm;  // [1, q_lora]
  kernels::Weight q, kv_down;     // [heads * (nope + rope), q_lora or d]; [kv_lora + rope, d]
  kernels::Tensor kv_norm;        // [1, kv_lora]
  kernels::GroupedWeight uk, uv;  // heads x [nope, kv_lora]; heads x [v, kv_lora]
};

struct LayerPlacement {
  kernels::Tensor attn_norm, ffn_norm;  // [1, d]
  std::optional<kernels::Tensor> attn_norm_bias, ffn_norm_bias;
  std::optional<kernels::Tensor> attn_post_norm, ffn_post_norm;  // four norms per layer
  kernels::Weight qkv, o;                                        // qkv: plain attention only
  std::optional<kernels::Tensor> qkv_bias, o_bias, q_norm, k_norm, sinks;
  std::optional<LatentPlacement> latent;
  FeedForwardPlacement dense;  // unless experts
  std::optional<ExpertPlacement> experts;
  kernels::KvCache cache;
  bool windowed = false;
};

}  // namespace ridgepoint::workloads
