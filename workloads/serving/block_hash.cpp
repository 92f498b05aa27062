// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/block_hash.hpp"

#include "workloads/serving/request.hpp"

namespace ridgepoint::workloads {
namespace {

// Kinds of content are kept apart, so that an id can never look like a token.
enum Tag : std::uint64_t { kTokens = 1, kTraceIds = 2, kUnique = 3 };

void add_content(BlockHash& hash, const Request& request, std::int64_t block,
                 std::int64_t block_tokens) {
  const std::int64_t first = block * block_tokens;
  const std::int64_t end = first + block_tokens;
  if (end <= static_cast<std::int64_t>(request.tokens.size())) {
    hash.add(kTokens);
    for (std::int64_t i = first; i < end; ++i) {
      hash.add(static_cast<std::uint64_t>(request.tokens[static_cast<std::size_t>(i)]));
    }
    return;
  }
  const std::int64_t id_tokens = request.id_tokens;
  if (!request.block_ids.empty() && end <= request.prompt_tokens) {
    hash.add(kTraceIds);
    for (std::int64_t at = first; at < end;) {
      hash.add(request.block_ids[static_cast<std::size_t>(at / id_tokens)]);
      hash.add(static_cast<std::uint64_t>(at % id_tokens));
      at = (at / id_tokens + 1) * id_tokens;
    }
    return;
  }
  hash.add(kUnique);
  hash.add(request.id);
}

}  // namespace

BlockHash salted(std::string_view salt) {
  BlockHash hash{0x243f6a8885a308d3u, 0x13198a2e03707344u};
  hash.add(salt.size());
  for (const char c : salt) hash.add(static_cast<unsigned char>(c));
  return hash;
}

void extend_hashes(Request& request, std::int64_t block_tokens, const BlockHash& root) {
  const std::int64_t wanted = request.known() / block_tokens;
  for (auto block = static_cast<std::int64_t>(request.hashes.size()); block < wanted; ++block) {
    BlockHash hash = block == 0 ? root : request.hashes.back();
    add_content(hash, request, block, block_tokens);
    request.hashes.push_back(hash);
  }
}

}  // namespace ridgepoint::workloads
