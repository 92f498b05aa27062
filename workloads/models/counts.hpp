// SPDX-License-Identifier: Apache-2.0
// What follows from a model's shape alone: parameters, weight bytes, cache bytes, and the
// multiply-adds the cache saves. Pure functions of a checked shape; nothing is measured here.
#pragma once

#include <cstdint>

#include "sim/core/dtype.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

// Every stored number: matrices, biases, norms, learned positions, sinks. A tied LM head counts
// once; buffers that are not learned (rotary tables, masks) do not count.
std::int64_t parameter_count(const ModelShape& shape);

// The part one token uses: in expert layers the chosen and the shared experts with the router.
// The whole embedding table counts, as in most published figures.
std::int64_t active_parameter_count(const ModelShape& shape);

// Weights and biases of the matrices one decoded token is multiplied with, LM head included;
// without the embedding row look-up, positions, norms, sinks and router correction terms. Times two
// it is the linear layers' FLOPs per token; times the element size their weight traffic at batch 1.
std::int64_t decode_matmul_params(const ModelShape& shape);

std::int64_t weight_bytes(const ModelShape& shape, core::DType dtype);

// Numbers cached per token: K and V of every KV head, or with MLA the latent and the shared
// rotary key; over all layers, windowed or not.
std::int64_t kv_elements_per_token(const ModelShape& shape);
std::int64_t kv_bytes_per_token(const ModelShape& shape, core::DType dtype);

// Numbers cached for a sequence of `tokens`; a windowed layer keeps at most its window.
std::int64_t kv_elements(const ModelShape& shape, std::int64_t tokens);
// Their bytes, scales included: one row per token, layer, KV head and K or V.
std::int64_t kv_bytes(const ModelShape& shape, core::DType dtype, std::int64_t tokens);

// Multiply-adds of the projections whose results are cached: K and V (2·d_model·kv_dim per token
// and layer), or with MLA the latent and the rotary key (d_model·(kv_lora + qk_rope)), while
// `generated` >= 1 tokens follow a prompt of `prompt` >= 1.
// The last token is never fed back, so prompt + generated - 1 tokens pass through the model.
// With a cache each passes once; without one every step computes all of its tokens again
// (CheckError when the count does not fit in 63 bits).
std::int64_t kv_macs_per_token(const ModelShape& shape);
std::int64_t kv_macs_with_cache(const ModelShape& shape, std::int64_t prompt,
                                std::int64_t generated);
std::int64_t kv_macs_without_cache(const ModelShape& shape, std::int64_t prompt,
                                   std::int64_t generated);

}  // namespace ridgepoint::workloads
