// SPDX-License-Identifier: Apache-2.0
// The exact fast path. A controller that streams passes through the same states again and again, up
// to a shift in time, a renaming of its banks and other row numbers. Between two chunks of reads
// this channel names its state; the first time, the event-driven controller simulates the next
// chunk and the transition is kept; the next time it is applied: a few additions instead of
// hundreds of scheduling decisions. Transitions lead from state to state, so that a hit does not
// touch the controller at all; it is brought up to date ("live") only when something else happens:
// a write, a refresh due, an empty input, a chunk not seen before.
//
// Banks are renamed by XOR with the origin, the bank of the latest chunk's first burst: an XOR
// keeps every hierarchy of banks, and no decision without a refresh depends on anything else about
// a bank.
#pragma once

#include <memory>
#include <vector>

#include "sim/dram/event_channel.hpp"
#include "sim/dram/transitions.hpp"

namespace ridgepoint::dram {

class FastChannel final : public EventChannel {
 public:
  explicit FastChannel(std::shared_ptr<const Spec> spec);

  ChannelStats stats() const override;
  core::Femtoseconds next_event() const override;

 private:
  struct NextChunk {
    std::int64_t first_burst;
    std::int64_t bursts;
    std::int64_t row;
    int bank;  // of the first burst
    ChunkKey key;
  };

  void run(Tick from, Tick to) override;
  bool at_boundary(Tick now) override;
  void chunk_entered(Tick now) override;
  std::int32_t name_state(Tick now);  // -1: has no name
  void row_issued(Command command, int bank, std::uint32_t chunk, Tick tick) override;
  void column_issued(Command command, int bank, const BankQueues::Entry& entry, Tick tick) override;

  // Follows known transitions; false when the controller must go on from base_.
  bool follow(Tick to);
  bool describe(const PieceState& piece, NextChunk& chunk);
  Tick refresh_due() const;
  void apply(const Transition& transition, const NextChunk& chunk, PieceState& piece);
  void apply_statistics(const Transition& transition);
  void emit(const Transition& transition) const;
  void go_live();
  // Completions of the transition under way that come before the end of the simulated time.
  void report_early(const Transition& transition);

  void start_recording(Tick now, const ChunkKey& key);
  void finish_recording(Tick now, std::int32_t next);
  std::uint16_t age_of(std::uint32_t chunk) const;
  std::vector<Chunk> chunks_in_flight() const;

  std::shared_ptr<TransitionCache> cache_;
  bool enabled_;

  // While following:
  bool following_ = false;
  const Transition* under_way_ = nullptr;  // ends at or after the simulated time
  Tick base_ = 0;
  std::int32_t state_ = -1;
  std::vector<Chunk> in_flight_;
  bool resume_ = false;  // the boundary at base_ has been looked at

  // While recording:
  bool recording_ = false;
  Transition record_;
  std::int32_t record_state_ = -1;
  int record_origin_ = 0;
  Tick record_base_ = 0;
  Tick record_due_ = 0;
  std::vector<std::uint32_t> record_chunks_;  // in flight, by age
  ChannelStats record_stats_;
  std::int64_t record_queued_ = 0;

  // Recording costs about as much time as simulating once more. Each record uses up credit and each
  // transition followed earns some; without credit, boundaries are skipped for a while.
  static constexpr int kFullCredit = 8192;
  int credit_ = kFullCredit;
  int skip_ = 0;
  StateName name_;
  Tick named_at_ = -1;  // when named_ was the state, between two chunks
  std::int32_t named_ = -1;
};

}  // namespace ridgepoint::dram
