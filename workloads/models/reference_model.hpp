// SPDX-License-Identifier: Apache-2.0
// The plain forward pass: the operations' references one after the other, in fp32, with a choice of
// what is rounded where it would be stored. The oracle of the tile kernels; not fast, no timing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kv_append/reference.hpp"
#include "kernels/sampling/reference.hpp"
#include "sim/core/dtype.hpp"
#include "workloads/models/loaded_model.hpp"

namespace ridgepoint::workloads {

// fp32, fp16 or bf16 each. All arithmetic is fp32; a value is rounded when it is stored.
struct StorageFormats {
  core::DType weights = core::DType::kFp32;      // matrices and biases
  core::DType norms = core::DType::kFp32;        // norm weights and biases
  core::DType kv = core::DType::kFp32;           // the cache
  core::DType activations = core::DType::kFp32;  // every result between two operations, except:
  core::DType residual = core::DType::kFp32;     // the stream that runs through all layers
  core::DType logits = core::DType::kFp32;

  static StorageFormats all(core::DType dtype) {
    return {dtype, dtype, dtype, dtype, dtype, dtype};
  }
};

class ReferenceModel {
 public:
  // Copies the weights it needs as fp32 after rounding them. Throws InputError where tensor_specs
  // does, CheckError for a format that is not one of the three.
  explicit ReferenceModel(const LoadedModel& model, const StorageFormats& formats = {});

  const ModelShape& shape() const { return shape_; }
  std::int64_t cached_tokens() const { return cached_; }
  void reset() { cached_ = 0; }

  // Feeds tokens at positions cached_tokens() onwards and keeps their keys and values.
  // Returns logits [M, vocab] of all of them (forward), or [vocab] of the last (forward_last).
  // InputError for no token, one outside the vocabulary, or a position past max_context.
  std::vector<float> forward(std::span<const std::int32_t> tokens);
  std::vector<float> forward_last(std::span<const std::int32_t> tokens);

 private:
  using Values = std::vector<float>;
  struct Linear {
    Values weight;
    Values bias;
  };
  struct FeedForward {
    Linear gate, up, down;
    std::int64_t width = 0;
  };
  struct Layer {
    Linear attn_norm, q, k, v, o, ffn_norm, attn_post_norm, ffn_post_norm;
    Linear q_down, q_down_norm, kv_down, kv_down_norm;  // latent attention, with q and o
    Values uk, uv;
    Values q_norm, k_norm, sinks;
    FeedForward dense, shared;
    Linear router;
    std::vector<FeedForward> experts;
    Values cache_k, cache_v;  // latent attention: cache_k alone, one row per token
  };

  Layer make_layer(const LoadedModel& model, std::int64_t index) const;
  Linear matrix(const LoadedModel& model, const std::string& name, bool bias) const;
  Linear norm(const LoadedModel& model, const std::string& name) const;
  Values hidden(std::span<const std::int32_t> tokens);
  void check_tokens(std::span<const std::int32_t> tokens) const;
  Values attention(const Values& x, Layer& layer, std::int64_t index);
  Values latent_attention(const Values& x, Layer& layer);
  Values feed_forward(const Values& x, const FeedForward& block) const;
  Values mixture(const Values& x, const Layer& layer) const;
  FeedForward make_feed_forward(const LoadedModel& model, const std::string& prefix,
                                std::int64_t width) const;
  void make_attention(const LoadedModel& model, std::int64_t index, Layer& layer) const;
  Values apply_norm(const Values& x, const Linear& norm) const;
  Values apply(const Values& x, const Linear& linear, std::int64_t k) const;
  Values head(const Values& x) const;

  ModelShape shape_;
  StorageFormats formats_;
  Values embedding_;
  Values positions_;
  Values lm_head_;  // empty: tied
  Linear final_norm_;
  std::vector<Layer> layers_;
  Values rope_table_;
  Values rope_table_local_;
  std::int64_t cached_ = 0;
};

// Generated tokens after `prompt` (BOS included): at most `steps`, ending with `stop_token` (kept
// as the last one) or when the context is full. use_cache false computes all tokens again each
// step. One row of logits per generated token is added to `logits` if it is given.
std::vector<std::int32_t> generate_reference(ReferenceModel& model,
                                             std::span<const std::int32_t> prompt,
                                             std::int64_t steps, std::int32_t stop_token,
                                             const kernels::SamplingConfig& sampling,
                                             bool use_cache,
                                             std::vector<std::vector<float>>* logits = nullptr);

}  // namespace ridgepoint::workloads
