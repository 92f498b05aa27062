// SPDX-License-Identifier: Apache-2.0
// Paged KV memory: blocks are given as tokens come. Full blocks are offered to later requests when
// they are scheduled, so that two requests of one step can share; a lookup stops at the first miss
// and never covers the last known token, which must be computed to give logits.
#include <algorithm>
#include <string>

#include "sim/core/error.hpp"
#include "workloads/serving/kv_policies.hpp"

namespace ridgepoint::workloads {
namespace {

class PagedKv final : public KvMemory {
 public:
  explicit PagedKv(const KvOptions& options)
      : KvMemory(options.geometry),
        prefix_cache_(options.prefix_cache),
        root_(salted(options.salt)),
        pin_blocks_(options.pin_tokens / options.geometry.block_tokens),
        most_pinned_(most_pinned(options)) {}

  bool can_ever_hold(const Request& request, std::int64_t spare_blocks) const override {
    return blocks_for(request.final_slots()) + spare_blocks + most_pinned_ <= pool_.usable_blocks();
  }

  std::int64_t find_prefix(Request& request) override {
    hit_.clear();
    const std::int64_t size = pool_.geometry().block_tokens;
    if (!prefix_cache_) return 0;
    extend_hashes(request, size, root_);
    const auto most = static_cast<std::size_t>((request.known() - 1) / size);
    while (hit_.size() < most) {
      const BlockId block = pool_.find(request.hashes[hit_.size()]);
      if (block < 0) break;
      hit_.push_back(block);
    }
    return static_cast<std::int64_t>(hit_.size()) * size;
  }

  bool admit(Request& request, std::int64_t hit_tokens, std::int64_t new_tokens,
             const Admission& rule) override {
    if (hit_tokens == 0) hit_.clear();
    const auto hits = static_cast<std::int64_t>(hit_.size());
    std::int64_t evictable = 0;  // hits that come out of the free blocks
    for (const BlockId block : hit_) evictable += pool_.is_free(block) ? 1 : 0;
    const std::int64_t chunk = blocks_for(hit_tokens + new_tokens) - hits + evictable;
    const std::int64_t all = blocks_for(rule.reserve_tokens) - hits + evictable;
    if (std::max(chunk, all) + rule.spare_blocks > pool_.free_blocks()) return false;
    for (const BlockId block : hit_) pool_.share(block);
    pin_found(request);
    request.blocks.assign(hit_.begin(), hit_.end());
    request.published = hits;
    grow(request, hit_tokens + new_tokens);
    return true;
  }

  bool extend(Request& request, std::int64_t new_tokens) override {
    const std::int64_t end = request.computed + new_tokens;
    const std::int64_t need = blocks_for(end) - static_cast<std::int64_t>(request.blocks.size());
    if (need > pool_.free_blocks()) return false;
    grow(request, end);
    return true;
  }

  std::int64_t promised_blocks(const Request& request) const override {
    return blocks_for(request.final_slots()) - static_cast<std::int64_t>(request.blocks.size());
  }

 private:
  static std::int64_t most_pinned(const KvOptions& options) {
    if (!(options.pin_share >= 0 && options.pin_share < 1)) {
      core::fail_input({}, "--pin-share", std::to_string(options.pin_share), "out of range",
                       "0 or more, less than 1");
    }
    if (!options.prefix_cache || options.pin_tokens == 0) return 0;
    return static_cast<std::int64_t>(options.pin_share *
                                     static_cast<double>(options.geometry.blocks - 1));
  }

  // What the request has found and never computed itself is a prefix that requests share.
  void pin_found(const Request& request) {
    const std::int64_t own = request.most_computed / pool_.geometry().block_tokens;
    const auto end = std::min(pin_blocks_, static_cast<std::int64_t>(hit_.size()));
    for (std::int64_t i = own; i < end && pool_.pinned_blocks() < most_pinned_; ++i) {
      pool_.pin(hit_[static_cast<std::size_t>(i)]);
    }
  }

  void grow(Request& request, std::int64_t end) {
    const std::int64_t size = pool_.geometry().block_tokens;
    while (static_cast<std::int64_t>(request.blocks.size()) * size < end) {
      request.blocks.push_back(pool_.take());
    }
    const std::int64_t full = end / size;
    if (!prefix_cache_ || request.published >= full) return;
    extend_hashes(request, size, root_);
    for (; request.published < full; ++request.published) {
      const auto i = static_cast<std::size_t>(request.published);
      pool_.publish(request.blocks[i], request.hashes[i]);
    }
  }

  bool prefix_cache_;
  BlockHash root_;
  std::int64_t pin_blocks_;   // first ones of a prompt
  std::int64_t most_pinned_;  // at the same time; requests must fit beside so many
  std::vector<BlockId> hit_;  // of the last find_prefix
};

std::unique_ptr<KvMemory> make(const KvOptions& options) {
  return std::make_unique<PagedKv>(options);
}

std::int64_t slots(const KvOptions& options, std::int64_t, std::int64_t held) {
  const std::int64_t size = options.geometry.block_tokens;
  return (held + size - 1) / size * size;
}

}  // namespace

KvPolicy paged_policy() {
  return {"paged", "blocks as tokens come, full blocks shared by prefix", &make, &slots};
}

}  // namespace ridgepoint::workloads
