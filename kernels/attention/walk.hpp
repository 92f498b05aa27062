// SPDX-License-Identifier: Apache-2.0
// One core's walks: its tiles, and the commands of a walk. Methods issue commands and never wait.
// Internal to the attention kernel.
#pragma once

#include <optional>
#include <vector>

#include "kernels/attention/job.hpp"
#include "kernels/operand_stream.hpp"

namespace ridgepoint::kernels {

class AttentionWalk {
 public:
  AttentionWalk(isa::CorePort& core, AttentionJob& job);

  void begin(const AttentionItem& item);
  isa::Token k_slot() const { return keys_.slot(key_uses_); }
  isa::Token v_slot() const { return values_ ? values_->slot(key_uses_) : isa::Token{}; }
  isa::Token q_slot(std::int64_t g) const { return q_ring_.busy(q_uses_ + g); }
  // What the next walk waits for where walks go one by one.
  isa::Token stored(std::int64_t g) const { return out_free_[static_cast<std::size_t>(g)]; }
  void load_queries();
  bool has_tile() const { return loaded_ < item_.tile1; }
  // So many lanes of the core have a walk; what the others leave idle is of no use to this one.
  void share(std::int64_t busy_lanes) { slowdown_ = job_.tiles.lanes / busy_lanes; }
  void load_keys();
  void walk_tile();
  void end();

 private:
  std::int64_t tiles() const { return job_.tiles_of(item_); }
  std::int64_t rows(std::int64_t g) const { return job_.rows_of(item_, g); }
  // Positions of a tile that the walk reads.
  std::int64_t first_key(std::int64_t tile) const {
    return std::max(tile * job_.tiles.key_tile, walk_first_);
  }
  std::int64_t keys_in(std::int64_t tile) const {
    return std::min((tile + 1) * job_.tiles.key_tile, walk_end_) - first_key(tile);
  }
  void load_expanded(std::int64_t use, std::int64_t t0, std::int64_t keys);
  isa::Token begun();
  void clear(std::int64_t g);
  void walk_tile_in_order(std::int64_t tile);
  void score(std::int64_t tile, std::int64_t g, isa::Token after = {});
  void finish(std::int64_t tile);
  void softmax(std::int64_t tile, std::int64_t g);
  void add_values(std::int64_t tile, std::int64_t g);

  isa::CorePort& core_;
  AttentionJob& job_;
  isa::Ring q_ring_, p_ring_;
  OperandStream keys_;
  std::optional<OperandStream> values_;  // none: the leading columns of the keys
  std::optional<isa::Tile> sinks_;
  std::vector<isa::Tile> scores_, out_;
  std::vector<isa::Token> score_free_, out_free_, out_last_, q_loaded_;
  AttentionItem item_;
  std::int64_t slowdown_ = 1;
  std::int64_t walk_first_ = 0, walk_end_ = 0;
  std::int64_t key_uses_ = 0, key_base_ = 0, q_uses_ = 0, loaded_ = 0, walked_ = 0;
  std::int64_t score_uses_ = 0, softmax_uses_ = 0;
  isa::Token scored_[kScoreSlots], softened_, sinks_loaded_;
};

}  // namespace ridgepoint::kernels
