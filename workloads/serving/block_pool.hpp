// SPDX-License-Identifier: Apache-2.0
// The blocks of the KV pool: who holds them, which are free and in what order they are taken, which
// still hold reusable prefixes, and where every byte of the pool is. Knows nothing of requests.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/block_hash.hpp"
#include "workloads/serving/request.hpp"

namespace ridgepoint::workloads {

struct KvGeometry {
  std::int64_t blocks = 0;  // all of them, the null block included
  std::int64_t block_tokens = 16;
  std::int64_t block_bytes = 0;  // of all layers; bytes() figures are multiples of slots of it
};

// Where the pool's token slots are; the parts sum to blocks * block_tokens at every moment.
struct KvUsage {
  std::int64_t used = 0;              // hold cache of running requests
  std::int64_t block_internal = 0;    // empty slots of blocks that hold some
  std::int64_t reserved_unused = 0;   // in blocks that are held but still empty
  std::int64_t cached_evictable = 0;  // in free blocks that still hold a reusable prefix
  std::int64_t cached_pinned = 0;     // in blocks without users that are kept for later ones
  std::int64_t free = 0;
  std::int64_t null_block = 0;
  std::int64_t total() const {
    return used + block_internal + reserved_unused + cached_evictable + cached_pinned + free +
           null_block;
  }
};

class BlockPool {
 public:
  // Block 0 is the null block and is never given out. Throws InputError unless 2 <= blocks < 2^31
  // and block_tokens >= 1.
  explicit BlockPool(const KvGeometry& geometry);

  const KvGeometry& geometry() const { return geometry_; }
  std::int64_t usable_blocks() const { return geometry_.blocks - 1; }
  std::int64_t free_blocks() const { return free_count_; }  // cached ones included
  bool is_free(BlockId block) const { return users_[index(block)] == 0 && !pinned_[index(block)]; }

  // The least recently freed block, empty, with one user; what it cached is forgotten.
  // Precondition: free_blocks() > 0.
  BlockId take();
  // One more user for a cached block, which leaves the free list if it was on it.
  void share(BlockId block);
  // One user less; without users the block goes to the end of the free list, its prefix kept. A
  // pinned one stays where it is.
  void drop(BlockId block);
  // From now on the block is never free, so that its prefix is never evicted. Precondition: it has
  // a user and is published.
  void pin(BlockId block);
  std::int64_t pinned_blocks() const { return pinned_count_; }
  // The block now holds `tokens` slots of cache (never fewer than before while it is held).
  void set_filled(BlockId block, std::int32_t tokens);

  // Offers a full block to later requests. Several blocks may carry the same hash.
  void publish(BlockId block, const BlockHash& hash);
  // A block with this hash (the one published first), or -1.
  BlockId find(const BlockHash& hash) const;

  KvUsage usage() const;
  // Blocks and filled slots as their users see them: a shared one counts once for each.
  std::int64_t blocks_of_users() const { return user_blocks_; }
  std::int64_t slots_of_users() const { return user_slots_; }
  // Walks everything and throws SimulationError if any count or list disagrees.
  void audit() const;

 private:
  static constexpr BlockId kNone = -1;
  static std::size_t index(BlockId block) { return static_cast<std::size_t>(block); }
  void append_free(BlockId block);
  void remove_free(BlockId block);
  void forget(BlockId block);
  std::size_t slot_of(const BlockHash& hash) const;  // where it is, or the empty slot for it
  void erase_slot(std::size_t slot);

  KvGeometry geometry_;
  std::vector<std::int32_t> users_;
  std::vector<std::int32_t> filled_;
  std::vector<bool> pinned_;
  std::vector<BlockId> next_;  // free list
  std::vector<BlockId> previous_;
  BlockId head_ = kNone;
  BlockId tail_ = kNone;
  std::int64_t free_count_ = 0;

  std::vector<BlockHash> hash_;  // of published blocks
  std::vector<bool> published_;
  std::vector<BlockId> same_hash_;  // the next block with the same hash, in order of publishing
  std::vector<BlockId> table_;      // open addressing, linear probing: first block of each hash
  std::size_t mask_ = 0;

  std::int64_t held_ = 0;         // blocks with users, without the null block
  std::int64_t held_empty_ = 0;   // of those, with nothing in them
  std::int64_t held_filled_ = 0;  // token slots filled in blocks with users
  std::int64_t cached_free_ = 0;  // published blocks on the free list
  std::int64_t pinned_count_ = 0;
  std::int64_t pinned_idle_ = 0;  // of those, without users
  std::int64_t user_blocks_ = 0;
  std::int64_t user_slots_ = 0;
};

}  // namespace ridgepoint::workloads
