// SPDX-License-Identifier: Apache-2.0
// The identity of a full KV block: a hash of everything in front of it and of its own tokens. Two
// blocks with the same hash hold the same numbers; another model, adapter or template (the salt)
// gives other hashes, so that a stale prefix can never hit.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridgepoint::workloads {

struct BlockHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const BlockHash&, const BlockHash&) = default;

  // Folds one more value into the hash; the order of values matters.
  void add(std::uint64_t value) {
    high = mix(high ^ (value * 0x9fb21c651e98df25u + 0x2545f4914f6cdd1du));
    low = mix(low + value * 0xd6e8feb86659fd93u + 0xa0761d6478bd642fu);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 32)) * 0xe9846af9b1a615du;
    z = (z ^ (z >> 32)) * 0xe9846af9b1a615du;
    return z ^ (z >> 28);
  }
};

// The start of every chain: model, adapter, template and whatever else the cached numbers depend
// on.
BlockHash salted(std::string_view salt);

struct Request;
// Makes request.hashes cover all full blocks of its known tokens. With real tokens their ids are
// hashed; with trace ids, the id and the place inside its block; otherwise the block is unique to
// the request. A block that holds any generated token of a trace request is unique too: a trace
// does not tell what was generated.
void extend_hashes(Request& request, std::int64_t block_tokens, const BlockHash& root);

}  // namespace ridgepoint::workloads
