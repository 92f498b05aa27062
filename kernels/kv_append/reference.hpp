// SPDX-License-Identifier: Apache-2.0
// The key/value cache as the plain references see it, paged or contiguous, and appending to it.
#pragma once

#include <cstdint>
#include <span>

namespace ridgepoint::kernels {

// One layer's cache of one sequence.
//   k, v [slots, kv_heads, head_dim]
//   blocks: number of the block that holds positions i·block_tokens to (i+1)·block_tokens - 1;
//   empty: contiguous, position p is slot p.
template <typename Element>
struct BasicReferenceCache {
  std::span<Element> k;
  std::span<Element> v;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t block_tokens = 0;
  std::span<const std::int32_t> blocks;

  // Index in k or v of element 0 of KV head `head` at `position`.
  std::int64_t at(std::int64_t position, std::int64_t head) const {
    const std::int64_t slot =
        blocks.empty() ? position
                       : blocks[static_cast<std::size_t>(position / block_tokens)] * block_tokens +
                             position % block_tokens;
    return (slot * kv_heads + head) * head_dim;
  }
};
using ReferenceCache = BasicReferenceCache<float>;
using ConstReferenceCache = BasicReferenceCache<const float>;

// CheckError unless positions 0 to tokens - 1 have a block and a slot inside k and v.
void check_kv_cache(const ConstReferenceCache& cache, std::int64_t tokens);

inline ConstReferenceCache as_const(const ReferenceCache& c) {
  return {c.k, c.v, c.kv_heads, c.head_dim, c.block_tokens, c.blocks};
}

// Stores row m at position first_position + m.   k, v [M, kv_heads, head_dim]
void kv_append_reference(std::span<const float> k, std::span<const float> v,
                         std::int64_t first_position, const ReferenceCache& cache);

}  // namespace ridgepoint::kernels
