// SPDX-License-Identifier: Apache-2.0
// Plain reference of causal attention over a cache: prefill (M > 1) and decode (M = 1) are one
// definition. Three passes, no tiles: scores, softmax, weighted sum.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/kv_append/reference.hpp"

namespace ridgepoint::kernels {

// Row m of q is at position p = first_position + m and sees positions max(0, p - window + 1) to p;
// window 0 is no window. Query head h reads KV head h / (heads / kv_heads).
// A head's sink, where there are any, is one more score that has no value: it only takes weight.
//   score[t] = sum_i q[m, h, i]·K[t, i] / sqrt(head_dim)
//   out[m, h, i] = sum_t softmax(score)[t] · V[t, i],   sums over i and t upwards in fp32
//   q [M, heads, head_dim]   out the same   cache: holds positions 0 to first_position + M - 1
// CheckError where sizes do not fit.
void attention_reference(std::span<const float> q, std::int64_t heads, std::int64_t first_position,
                         std::int64_t window, const ConstReferenceCache& cache,
                         std::span<float> out, std::span<const float> sinks = {});

// Latent attention (DeepSeek-V2) by its definition, one sequence: key t of head h is uk[h]·c_t,
// then r_t; its value uv[h]·c_t, where row t of the cache is c_t [latent], then r_t [rope].
//   q [M, heads, nope + rope]   cache [context, latent + rope]   uk [heads, nope, latent]
//   uv [heads, v_dim, latent]   out [M, heads, v_dim]; row m stands at context - M + m
struct LatentSizes {
  std::int64_t heads = 0, nope = 0, rope = 0, latent = 0, v_dim = 0;
};
void latent_attention_reference(std::span<const float> q, const LatentSizes& sizes,
                                std::span<const float> cache, std::span<const float> uk,
                                std::span<const float> uv, std::span<float> out);

}  // namespace ridgepoint::kernels
