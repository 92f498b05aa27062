// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/block_pool.hpp"

#include <bit>
#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {

BlockPool::BlockPool(const KvGeometry& geometry) : geometry_(geometry) {
  if (geometry.blocks < 2 || geometry.blocks >= (std::int64_t{1} << 31)) {
    core::fail_input({}, "--kv-blocks", std::to_string(geometry.blocks), "out of range",
                     "2 to 2147483647 (one is the null block)");
  }
  if (geometry.block_tokens < 1 || geometry.block_tokens > (1 << 24)) {
    core::fail_input({}, "--block-tokens", std::to_string(geometry.block_tokens), "out of range",
                     "1 to 16777216");
  }
  const auto count = static_cast<std::size_t>(geometry.blocks);
  users_.assign(count, 0);
  filled_.assign(count, 0);
  pinned_.assign(count, false);
  next_.assign(count, kNone);
  previous_.assign(count, kNone);
  hash_.resize(count);
  published_.assign(count, false);
  same_hash_.assign(count, kNone);
  table_.assign(std::bit_ceil(2 * count), kNone);
  mask_ = table_.size() - 1;
  users_[0] = 1;  // the null block
  for (BlockId block = 1; block < static_cast<BlockId>(geometry.blocks); ++block) {
    append_free(block);
  }
}

void BlockPool::append_free(BlockId block) {
  previous_[index(block)] = tail_;
  next_[index(block)] = kNone;
  (tail_ == kNone ? head_ : next_[index(tail_)]) = block;
  tail_ = block;
  ++free_count_;
}

void BlockPool::remove_free(BlockId block) {
  const BlockId before = previous_[index(block)];
  const BlockId after = next_[index(block)];
  (before == kNone ? head_ : next_[index(before)]) = after;
  (after == kNone ? tail_ : previous_[index(after)]) = before;
  --free_count_;
}

BlockId BlockPool::take() {
  const BlockId block = head_;
  remove_free(block);
  if (published_[index(block)]) {
    forget(block);
    --cached_free_;
  }
  users_[index(block)] = 1;
  filled_[index(block)] = 0;
  ++held_;
  ++held_empty_;
  ++user_blocks_;
  return block;
}

void BlockPool::share(BlockId block) {
  ++user_blocks_;
  user_slots_ += filled_[index(block)];
  if (users_[index(block)]++ > 0) return;
  if (pinned_[index(block)]) {
    --pinned_idle_;
  } else {
    remove_free(block);
    --cached_free_;
  }
  ++held_;
  held_filled_ += filled_[index(block)];
  if (filled_[index(block)] == 0) ++held_empty_;
}

void BlockPool::pin(BlockId block) {
  if (pinned_[index(block)]) return;
  pinned_[index(block)] = true;
  ++pinned_count_;
}

void BlockPool::drop(BlockId block) {
  --user_blocks_;
  user_slots_ -= filled_[index(block)];
  if (--users_[index(block)] > 0) return;
  --held_;
  held_filled_ -= filled_[index(block)];
  if (filled_[index(block)] == 0) --held_empty_;
  if (pinned_[index(block)]) {
    ++pinned_idle_;
    return;
  }
  if (published_[index(block)]) ++cached_free_;
  append_free(block);
}

void BlockPool::set_filled(BlockId block, std::int32_t tokens) {
  std::int32_t& filled = filled_[index(block)];
  if (tokens <= filled) return;  // a shared block was filled by its first user
  if (filled == 0) --held_empty_;
  held_filled_ += tokens - filled;
  user_slots_ += std::int64_t{users_[index(block)]} * (tokens - filled);
  filled = tokens;
}

std::size_t BlockPool::slot_of(const BlockHash& hash) const {
  std::size_t slot = static_cast<std::size_t>(hash.low) & mask_;
  while (table_[slot] != kNone && !(hash_[index(table_[slot])] == hash)) slot = (slot + 1) & mask_;
  return slot;
}

BlockId BlockPool::find(const BlockHash& hash) const { return table_[slot_of(hash)]; }

void BlockPool::publish(BlockId block, const BlockHash& hash) {
  hash_[index(block)] = hash;
  published_[index(block)] = true;
  same_hash_[index(block)] = kNone;
  const std::size_t slot = slot_of(hash);
  if (table_[slot] == kNone) {
    table_[slot] = block;
    return;
  }
  BlockId last = table_[slot];
  while (same_hash_[index(last)] != kNone) last = same_hash_[index(last)];
  same_hash_[index(last)] = block;
}

void BlockPool::forget(BlockId block) {
  published_[index(block)] = false;
  const std::size_t slot = slot_of(hash_[index(block)]);
  if (table_[slot] != block) {
    BlockId before = table_[slot];
    while (same_hash_[index(before)] != block) before = same_hash_[index(before)];
    same_hash_[index(before)] = same_hash_[index(block)];
  } else if (same_hash_[index(block)] != kNone) {
    table_[slot] = same_hash_[index(block)];
  } else {
    erase_slot(slot);
  }
}

void BlockPool::erase_slot(std::size_t slot) {
  // Entries behind the hole that may stand in it move up, so that no search ends too early.
  std::size_t hole = slot;
  for (std::size_t at = (hole + 1) & mask_; table_[at] != kNone; at = (at + 1) & mask_) {
    const std::size_t home = static_cast<std::size_t>(hash_[index(table_[at])].low) & mask_;
    if (((at - home) & mask_) >= ((at - hole) & mask_)) {
      table_[hole] = table_[at];
      hole = at;
    }
  }
  table_[hole] = kNone;
}

KvUsage BlockPool::usage() const {
  const std::int64_t tokens = geometry_.block_tokens;
  KvUsage usage;
  usage.used = held_filled_;
  usage.reserved_unused = held_empty_ * tokens;
  usage.block_internal = (held_ - held_empty_) * tokens - held_filled_;
  usage.cached_evictable = cached_free_ * tokens;
  usage.cached_pinned = pinned_idle_ * tokens;
  usage.free = (free_count_ - cached_free_) * tokens;
  usage.null_block = tokens;
  return usage;
}

void BlockPool::audit() const {
  const auto check = [](bool ok, const char* what) {
    if (!ok) throw core::SimulationError(std::string("KV pool audit: ") + what);
  };
  std::int64_t listed = 0;
  std::int64_t cached = 0;
  BlockId before = kNone;
  for (BlockId block = head_; block != kNone; block = next_[index(block)]) {
    check(users_[index(block)] == 0, "a held block is on the free list");
    check(previous_[index(block)] == before, "the free list is broken");
    before = block;
    ++listed;
    cached += published_[index(block)] ? 1 : 0;
    check(listed <= free_count_, "the free list is longer than its count");
  }
  check(before == tail_ && listed == free_count_, "the free list is shorter than its count");
  check(cached == cached_free_, "cached free blocks are miscounted");
  std::int64_t held = 0;
  std::int64_t filled = 0;
  std::int64_t empty = 0;
  std::int64_t idle = 0;
  for (std::size_t i = 1; i < users_.size(); ++i) {
    check(users_[i] >= 0, "a block has fewer than no users");
    check(filled_[i] >= 0 && filled_[i] <= geometry_.block_tokens, "a block is overfilled");
    if (users_[i] == 0) {
      idle += pinned_[i] ? 1 : 0;
      continue;
    }
    ++held;
    filled += filled_[i];
    empty += filled_[i] == 0 ? 1 : 0;
  }
  check(held == held_ && filled == held_filled_ && empty == held_empty_,
        "held blocks are miscounted");
  check(idle == pinned_idle_, "pinned blocks are miscounted");
  check(held + listed + idle + 1 == geometry_.blocks, "blocks are lost");
  check(usage().total() == geometry_.blocks * geometry_.block_tokens,
        "the parts do not sum to the pool");
}

}  // namespace ridgepoint::workloads
