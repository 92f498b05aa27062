// SPDX-License-Identifier: Apache-2.0
// How KV memory is given to requests. Policies: paged (blocks as tokens come, with a prefix cache),
// max-length, pow2 and oracle (all blocks for a final length at admission). All use the same pool,
// so that block tables name real blocks: block b of layer l lies at pool base + b * block bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/serving/block_pool.hpp"
#include "workloads/serving/request.hpp"

namespace ridgepoint::workloads {

struct KvOptions {
  KvGeometry geometry;
  std::string policy = "paged";        // a name of kv_policies()
  std::int64_t reserve_tokens = 4096;  // for max-length: what every request reserves
  bool prefix_cache = true;            // paged only
  // Full blocks within so many first tokens of a prompt are pinned when another request finds them,
  // as long as not more than this share of the pool is. 0 tokens: none.
  std::int64_t pin_tokens = 0;
  double pin_share = 0.1;  // >= 0, < 1
  std::string salt;        // model, adapter, template: part of every block's hash
};

// What must be free before a waiting request is let in, beyond the blocks of its first chunk.
struct Admission {
  std::int64_t reserve_tokens = 0;  // blocks for this many of its tokens in all
  std::int64_t spare_blocks = 0;    // and this many blocks left over (watermark, promises)
};

class KvMemory {
 public:
  explicit KvMemory(const KvGeometry& geometry) : pool_(geometry) {}
  virtual ~KvMemory() = default;

  // Whether the request can be served to its end with nothing else in the pool.
  virtual bool can_ever_hold(const Request& request, std::int64_t spare_blocks) const = 0;
  // Tokens of the known sequence, a multiple of the block size and below known(), whose cache is in
  // the pool. Changes nothing in the pool.
  virtual std::int64_t find_prefix(Request& request) = 0;
  // Gives a waiting request (no blocks, computed == 0) its blocks for `hit_tokens` found by
  // find_prefix just before and `new_tokens` behind them. False, and nothing changed, if they or
  // the admission rule's blocks are not free. computed is set by the caller.
  virtual bool admit(Request& request, std::int64_t hit_tokens, std::int64_t new_tokens,
                     const Admission& rule) = 0;
  // Blocks for `new_tokens` behind request.computed; false, and nothing changed, if not free.
  virtual bool extend(Request& request, std::int64_t new_tokens) = 0;
  // Blocks (not token slots) the request may still ask for before its end.
  virtual std::int64_t promised_blocks(const Request& request) const = 0;

  // The tokens [request.computed, request.computed + new_tokens) are now in the cache.
  void commit(const Request& request, std::int64_t new_tokens);
  // Takes all blocks back, the last one first, so that the tail of a sequence is evicted first.
  void release(Request& request);

  const BlockPool& pool() const { return pool_; }
  std::int64_t blocks_for(std::int64_t tokens) const {
    return (tokens + pool_.geometry().block_tokens - 1) / pool_.geometry().block_tokens;
  }

 protected:
  BlockPool pool_;
};

struct KvPolicy {
  std::string_view name;
  std::string_view meaning;
  std::unique_ptr<KvMemory> (*make)(const KvOptions& options);
  // Token slots a request of this length holds when it has `held` tokens of cache: for planning.
  std::int64_t (*slots)(const KvOptions& options, std::int64_t final_tokens, std::int64_t held);
};
const std::vector<KvPolicy>& kv_policies();
// Throws InputError naming the policies if the name is unknown.
const KvPolicy& find_kv_policy(std::string_view name);
std::unique_ptr<KvMemory> make_kv_memory(const KvOptions& options);

}  // namespace ridgepoint::workloads
