// SPDX-License-Identifier: Apache-2.0
#include "kernels/kv_cache.hpp"

namespace ridgepoint::kernels {

isa::View KvCache::view(const std::uint32_t* table, std::int64_t head, bool is_v, std::int64_t t0,
                        std::int64_t tokens) const {
  const std::int64_t row = latent ? 0 : (head * 2 + (is_v ? 1 : 0)) * block_tokens;
  isa::View result;
  result.traffic = core::Traffic::kKv;
  result.dtype = dtype;
  result.rows = tokens;
  result.cols = head_dim;
  result.address = address + static_cast<std::uint64_t>(row * row_bytes());
  result.row_bytes = static_cast<std::uint64_t>(row_bytes());
  if (values != nullptr) result.values = static_cast<char*>(values) + row * row_bytes();
  result.value_row_bytes = row_bytes();
  result.pages = {table, static_cast<std::uint32_t>(block_tokens),
                  static_cast<std::uint64_t>(block_bytes()), block_bytes(),
                  static_cast<std::uint32_t>(t0)};
  return result;
}

}  // namespace ridgepoint::kernels
