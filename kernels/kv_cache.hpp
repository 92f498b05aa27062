// SPDX-License-Identifier: Apache-2.0
// The paged cache of one layer, as addresses and as values. Plain attention: [block][KV head][K,
// V][token][dim], so that one head's tokens of a block are contiguous. Latent attention:
// [block][token][dim], one vector per token for all heads, of which V is the first part.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/view.hpp"

namespace ridgepoint::kernels {

struct KvCache {
  core::DType dtype = core::DType::kFp16;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t block_tokens = 16;
  std::uint64_t address = 0;
  void* values = nullptr;
  bool latent = false;  // with kv_heads = 1: K and V are the same numbers

  std::int64_t row_bytes() const { return core::bytes_of(dtype, head_dim); }
  std::int64_t block_rows() const { return kv_heads * (latent ? 1 : 2) * block_tokens; }
  std::int64_t block_bytes() const { return block_rows() * row_bytes(); }

  // Tokens [t0, t0 + tokens) of the sequence with this block table, one head's K or V:
  // [tokens, head_dim]. The table must outlive the kernel.
  isa::View view(const std::uint32_t* table, std::int64_t head, bool is_v, std::int64_t t0,
                 std::int64_t tokens) const;
};

// One sequence's part of a step. Rows [row0, row0 + new_tokens) of the batch are its new tokens;
// they stand at positions [context - new_tokens, context).
struct Sequence {
  std::int64_t row0 = 0;
  std::int64_t new_tokens = 1;
  std::int64_t context = 1;  // tokens in the cache after this step's append
  const std::uint32_t* blocks = nullptr;
};

}  // namespace ridgepoint::kernels
