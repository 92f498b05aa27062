// SPDX-License-Identifier: Apache-2.0
#include "kernels/kv_append/reference.hpp"

#include <algorithm>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void check_kv_cache(const ConstReferenceCache& cache, std::int64_t tokens) {
  require(cache.kv_heads > 0 && cache.head_dim > 0,
          "kv cache: heads and head_dim must be positive");
  require(cache.k.size() == cache.v.size(), "kv cache: k and v have different sizes");
  const std::int64_t width = cache.kv_heads * cache.head_dim;
  const std::int64_t slots = static_cast<std::int64_t>(cache.k.size()) / width;
  if (cache.blocks.empty()) {
    require(tokens <= slots, "kv cache: more tokens than slots");
    return;
  }
  require(cache.block_tokens > 0, "kv cache: block_tokens must be positive");
  const std::int64_t used = (tokens + cache.block_tokens - 1) / cache.block_tokens;
  require(used <= static_cast<std::int64_t>(cache.blocks.size()),
          "kv cache: a position has no block");
  for (std::int64_t i = 0; i < used; ++i) {
    const std::int64_t block = cache.blocks[static_cast<std::size_t>(i)];
    require(block >= 0 && (block + 1) * cache.block_tokens <= slots,
            "kv cache: a block lies outside the cache");
  }
}

void kv_append_reference(std::span<const float> k, std::span<const float> v,
                         std::int64_t first_position, const ReferenceCache& cache) {
  const std::int64_t width = cache.kv_heads * cache.head_dim;
  require(width > 0 && static_cast<std::int64_t>(k.size()) % width == 0 && first_position >= 0,
          "kv append: k is not [M, kv_heads, head_dim]");
  require_size(v.size(), static_cast<std::int64_t>(k.size()), "kv append: v");
  const std::int64_t rows = static_cast<std::int64_t>(k.size()) / width;
  check_kv_cache(as_const(cache), first_position + rows);
  for (std::int64_t m = 0; m < rows; ++m) {
    const std::int64_t to = cache.at(first_position + m, 0);
    std::copy_n(k.data() + m * width, width, cache.k.data() + to);
    std::copy_n(v.data() + m * width, width, cache.v.data() + to);
  }
}

}  // namespace ridgepoint::kernels
