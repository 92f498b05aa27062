// SPDX-License-Identifier: Apache-2.0
// Norms of the heads where the model has them, rotary positions (Su et al. 2021, interleaved pairs
// 2i, 2i+1) on the q and k columns of the fused QKV rows, and the append of k and v to the paged
// cache: one pass over the rows does both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kv_cache.hpp"
#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

struct RopeAppendArgs {
  Tensor qkv;  // [T, (heads + 2 kv_heads) * head_dim]; q columns are rewritten in place
  KvCache cache;
  std::int64_t heads = 0;
  double theta = 10000;         // 0: no rotation (learned positions), only the append
  std::int64_t rotary_dim = 0;  // leading dims of a head that rotate
  std::vector<Sequence> sequences;
  std::optional<Tensor> q_norm{}, k_norm{};  // [1, head_dim]: RMSNorm of each head before it turns
  double eps = 1e-5;
};

isa::Kernel rope_append(const isa::CoreShape& shape, const RopeAppendArgs& args,
                        const std::string& name);

}  // namespace ridgepoint::kernels
