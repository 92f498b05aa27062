// SPDX-License-Identifier: Apache-2.0
// The oracle's behaviour, computed only at the ticks where something can happen. Requests are kept
// per bank, rules as registers, and each pseudo-channel carries a tick before which it cannot have
// a row command and one before which it cannot have a column command. Those bounds may be early (a
// look is wasted) but never late; everything that could make a command possible lowers them.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "sim/dram/bank_queues.hpp"
#include "sim/dram/channel_base.hpp"
#include "sim/dram/device.hpp"
#include "sim/dram/refresh.hpp"
#include "sim/dram/timers.hpp"

namespace ridgepoint::dram {

class EventChannel : public ChannelBase {
 public:
  explicit EventChannel(std::shared_ptr<const Spec> spec);

  // Requests enter in chunks: the bursts of one request up to the next multiple of kChunkBursts.
  // The unit of the fast path; to this controller they mean nothing.
  static constexpr std::int64_t kChunkBursts = 128;
  struct Chunk {
    std::int64_t first_burst;
    std::int32_t piece;
    std::int32_t left;  // bursts without their column command
  };

  // The statistics at `until` of a copy that goes on from a saved state; see event_state.cpp.
  ChannelStats stats_from(Tick now, const std::vector<std::uint64_t>& name,
                          const std::vector<Chunk>& in_flight, Tick until) {
    load(now, name, in_flight);
    stopped_ = false;
    EventChannel::run(now, until);
    return ledger_.snapshot(until);
  }

 protected:
  struct PseudoChannel {
    int index;
    int first_bank;
    BankQueues queues[2];  // reads, writes
    bool draining = false;
    std::uint64_t open = 0;  // banks
    std::uint64_t held = 0;  // banks that wait for an urgent refresh
    RefreshCounter refresh;
    Tick row_at = 0;
    Tick column_at = core::kNever;
    bool row_due = false;  // row_at has come; valid within row_phase
    BankQueues& active() { return queues[draining]; }
  };
  struct BankUse {
    std::int64_t open_row = kClosed;
    int served = 0;
    Tick last_use = 0;
    std::array<std::int64_t, 4> recent{-1, -1, -1, -1};  // rows that entered, latest first
    void row_entered(std::int64_t row) {
      if (recent[0] == row) return;
      recent = {row, recent[0], recent[1], recent[2]};
    }
  };
  struct Candidate {
    Command command = Command::kAct;
    int bank = -1;  // flat
    std::int64_t row = -1;
    std::uint64_t order = 0;
    std::uint32_t chunk = 0;  // that wants it
  };

  // ---- For the fast path; see event_state.cpp.
  bool save(Tick now, std::vector<std::uint64_t>& out);
  bool save_queues(Tick now, std::vector<std::uint64_t>& out);
  void load(Tick now, const std::vector<std::uint64_t>& name, const std::vector<Chunk>& in_flight);
  // Called before the first burst of a chunk enters; true: stop here.
  virtual bool at_boundary(Tick) { return false; }
  virtual void chunk_entered(Tick) {}
  virtual void row_issued(Command, int /*bank*/, std::uint32_t /*chunk*/, Tick) {}
  virtual void column_issued(Command, int /*bank*/, const BankQueues::Entry&, Tick) {}

  void run(Tick from, Tick to) override;
  Tick next_tick() const override;
  bool start_tick(Tick now);
  void feed(Tick now);
  void open_chunk(const PieceState& piece);
  void burst_left(std::uint32_t chunk);
  bool enter(PieceState& piece, Tick now);
  void choose_direction(PseudoChannel& pc, Tick now);

  // Each issues at most one command that may start at `now`, or lowers row_at to the next chance.
  void row_phase(Tick now);
  bool issue_row_command(Tick now);
  bool try_refresh(PseudoChannel& pc, Tick now, bool urgent);
  void find_demand(PseudoChannel& pc, Tick now, Candidate& best);
  bool try_timeout(PseudoChannel& pc, Tick now);
  void issue_row(PseudoChannel& pc, const Candidate& candidate, Tick now, bool for_other_row);
  void close(PseudoChannel& pc, std::uint64_t banks);
  void update_held(PseudoChannel& pc);
  std::uint64_t acts_behind_refresh(const PseudoChannel& pc, Tick now) const;

  bool column_phase(Tick now);
  Tick column_gate(const PseudoChannel& pc, Tick now) const;
  void find_column(PseudoChannel& pc, Tick now, Candidate& best);
  void issue_column(PseudoChannel& pc, int flat_bank, Tick now);

  std::uint64_t only_oldest(const BankQueues& queue, std::uint64_t banks) const;
  std::uint64_t capped(const PseudoChannel& pc, const BankQueues& queue) const;
  // The first tick from `now` on at which the rules and the command's grid allow it.
  Tick when(Command command, int bank, Tick now) const {
    return spec_->align_up(command, std::max(now, timers_.earliest(command, bank)));
  }
  PseudoChannel& pc_of(int bank) { return pcs_[static_cast<std::size_t>(bank >> pc_shift_)]; }
  BankUse& use(int bank) { return use_[static_cast<std::size_t>(bank)]; }
  const BankUse& use(int bank) const { return use_[static_cast<std::size_t>(bank)]; }

  Timers timers_;
  std::vector<PseudoChannel> pcs_;
  std::vector<BankUse> use_;
  std::uint64_t entered_ = 0;
  std::deque<Chunk> chunks_;         // from the oldest unfinished one to the latest
  std::uint32_t first_chunk_ = 0;    // number of chunks_.front()
  std::int64_t chunk_to_enter_ = 0;  // bursts of chunks_.back() that have yet to enter
  int origin_ = 0;                   // bank of the first burst of the latest chunk
  bool stopped_ = false;             // at_boundary said so
  std::vector<bool> queued_scratch_;
  Tick start_at_ = 0;  // the next tick with arrivals, room in a queue, a direction or a refresh due
  int pc_shift_;
  int bank_mask_;
  Tick data_end_[2];   // after a column command: read, write
  bool fcfs_, fancy_;  // fancy: FCFS or a hit cap, off the fast track
  bool siblings_;
  bool optional_rows_;  // time-outs or postponed refreshes: row commands without demand
};

}  // namespace ridgepoint::dram
