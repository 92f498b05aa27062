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
//   score[t] = sum_i q[m, h, i]·K[t, i] / sqrt(head_dim)
//   out[m, h, i] = sum_t softmax(score)[t] · V[t, i],   sums over i and t upwards in fp32
//   q [M, heads, head_dim]   out the same   cache: holds positions 0 to first_position + M - 1
// CheckError where sizes do not fit.
void attention_reference(std::span<const float> q, std::int64_t heads, std::int64_t first_position,
                         std::int64_t window, const ConstReferenceCache& cache,
                         std::span<float> out);

}  // namespace ridgepoint::kernels
