// SPDX-License-Identifier: Apache-2.0
// The shape of a decoder-only transformer: every size from which its parameters, its cache and its
// work follow. No weights (loaded_model.hpp) and no list of models (registry.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ridgepoint::workloads {

enum class NormKind : std::uint8_t { kRmsNorm, kLayerNorm };
// kGelu is the only one without a gate matrix.
enum class Activation : std::uint8_t { kSwiGlu, kGelu, kGeGlu, kSwiGluClamped };

// Mixture of experts. The first `first_dense_layers` layers keep the plain feed-forward block.
struct MoeShape {
  std::int64_t experts = 0;
  std::int64_t active = 0;          // experts chosen per token
  std::int64_t ffn_dim = 0;         // inner width of one expert
  std::int64_t shared_experts = 0;  // always run, of the same width
  std::int64_t first_dense_layers = 0;
  bool router_bias = false;
};

// Multi-head latent attention: the cache holds one compressed vector per token and layer.
struct MlaShape {
  std::int64_t q_lora = 0;  // 0: queries are not compressed
  std::int64_t kv_lora = 0;
  std::int64_t qk_nope = 0;  // per head, without position
  std::int64_t qk_rope = 0;  // per head in q, shared by all heads in k
  std::int64_t v_dim = 0;    // per head
};

struct ModelShape {
  std::string name;
  std::string family;
  std::int64_t layers = 0;
  std::int64_t d_model = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn_dim = 0;
  std::int64_t vocab = 0;
  bool tied_embeddings = false;  // the LM head is the embedding table
  NormKind norm = NormKind::kRmsNorm;
  std::int64_t norms_per_layer = 2;
  double norm_eps = 1e-5;
  Activation activation = Activation::kSwiGlu;
  bool qkv_bias = false;
  bool other_bias = false;  // attention output and feed-forward
  bool qk_norm = false;     // RMSNorm of width head_dim on q and on k
  bool attention_sinks = false;
  std::int64_t sliding_window = 0;        // tokens; 0: full attention everywhere
  std::int64_t window_local_layers = 0;   // of every local + global layers in a row, the first
  std::int64_t window_global_layers = 0;  // `local` ones have the window
  double rope_theta = 0;                  // 0: learned positions, a table of max_context rows
  double rope_theta_local = 0;            // of the windowed layers; 0: the same
  std::int64_t rotary_dim = 0;            // of head_dim; 0 with learned positions
  std::int64_t max_context = 0;           // tokens
  std::optional<MoeShape> moe;
  std::optional<MlaShape> mla;

  // As published, for comparison; 0: not known.
  std::int64_t declared_params = 0;  // exact count for this shape
  std::int64_t published_params = 0;
  std::int64_t published_active_params = 0;
  std::string source;

  std::int64_t q_dim() const { return heads * head_dim; }
  std::int64_t kv_dim() const { return kv_heads * head_dim; }
  bool gated() const { return activation != Activation::kGelu; }
  bool learned_positions() const { return rope_theta == 0; }
  bool is_windowed(std::int64_t layer) const;
  bool is_moe_layer(std::int64_t layer) const {
    return moe.has_value() && layer >= moe->first_dense_layers;
  }
};

// Throws InputError naming `where` (a file, may be empty), the field, its value and what is
// accepted, unless every size is in range and they fit together. A shape that passes cannot
// overflow any count of counts.hpp.
void check_shape(const ModelShape& shape, const std::string& where);

}  // namespace ridgepoint::workloads
