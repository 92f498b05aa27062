// SPDX-License-Identifier: Apache-2.0
// Row work of latent attention (DeepSeek-V2, 2024): the cache holds one normalised latent and one
// rotated key part per token, shared by all heads. The products are linear and grouped linear
// layers, the attention itself is kernels/attention.
#pragma once

#include <string>
#include <vector>

#include "kernels/kv_cache.hpp"
#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

// cache row = RMSNorm(kv[:, :latent]), then rotated kv[:, latent:].
struct LatentAppendArgs {
  Tensor kv;      // [T, latent + rope]
  Tensor weight;  // [1, latent] of the norm
  KvCache cache;  // latent; head_dim = latent + rope
  std::int64_t latent = 0;
  double eps = 1e-5, theta = 10000;
  std::vector<Sequence> sequences;
};
isa::Kernel latent_append(const isa::CoreShape& shape, const LatentAppendArgs& args,
                          const std::string& name);

// Rotates the last `rope` of the nope + rope numbers of every query head of rows
// [row0, row0 + rows), into columns [head * out_dim + out_column, + rope) of `out`, which may be q.
struct LatentQueryArgs {
  Tensor q;    // [T, heads * (nope + rope)]
  Tensor out;  // [T, heads * out_dim]
  std::int64_t heads = 0, nope = 0, rope = 0, out_dim = 0, out_column = 0;
  std::int64_t row0 = 0, rows = 0;
  double theta = 10000;
  std::vector<Sequence> sequences;
};
isa::Kernel latent_query(const isa::CoreShape& shape, const LatentQueryArgs& args,
                         const std::string& name);

// Rows of a sequence's cache, position by position, into `to` [context, latent + rope].
struct LatentGatherArgs {
  KvCache cache;
  Sequence sequence;
  Tensor to;
};
isa::Kernel latent_gather(const isa::CoreShape& shape, const LatentGatherArgs& args,
                          const std::string& name);

}  // namespace ridgepoint::kernels
