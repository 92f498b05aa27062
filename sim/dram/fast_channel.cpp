// SPDX-License-Identifier: Apache-2.0
// Following transitions; recording them is in fast_record.cpp.
#include "sim/dram/fast_channel.hpp"

#include <algorithm>

namespace ridgepoint::dram {

FastChannel::FastChannel(std::shared_ptr<const Spec> spec)
    : EventChannel(std::move(spec)),
      cache_(transitions_of(spec_)),
      enabled_(!fancy_ && spec_->config.row_policy == RowPolicy::kOpen) {}

void FastChannel::run(Tick from, Tick to) {
  for (Tick at = from;;) {
    if (following_) {
      if (follow(to)) return;
      go_live();
      at = base_;
    }
    stopped_ = false;
    EventChannel::run(at, to);
    if (!stopped_) return;
  }
}

Tick FastChannel::refresh_due() const {
  Tick due = core::kNever;
  for (const PseudoChannel& pc : pcs_) due = std::min(due, pc.refresh.next_due());
  return due;
}

// False when the head's next chunk is not one that transitions know.
bool FastChannel::describe(const PieceState& piece, NextChunk& chunk) {
  const auto burst = static_cast<std::uint64_t>(spec_->geometry.burst_bytes);
  const core::MemoryRequest& request = piece.request;
  if (request.is_write || request.address % burst != 0 || request.bytes % burst != 0) return false;
  chunk.first_burst = piece.next_burst;
  const std::int64_t end = (piece.next_burst / kChunkBursts + 1) * kChunkBursts;
  chunk.bursts = std::min(end, piece.end_burst) - piece.next_burst;
  chunk.row = piece.next_burst >> map_.row_shift();
  chunk.key.shape = cache_->shape(chunk.first_burst, chunk.bursts);
  if (chunk.key.shape == TransitionCache::kNoShape) return false;
  chunk.bank = map_.decode(chunk.first_burst).bank;
  chunk.key.first_bank = static_cast<std::uint32_t>(chunk.bank ^ origin_);
  chunk.key.rows = 0;
  for (const std::uint16_t difference : cache_->shape_at(chunk.key.shape).banks) {
    const BankUse& bank = use(chunk.bank ^ difference);
    const auto& recent = bank.recent;
    const unsigned place = recent[0] == chunk.row   ? 0
                           : recent[1] == chunk.row ? 1
                           : recent[2] == chunk.row ? 2
                           : recent[3] == chunk.row ? 3
                                                    : 4;
    const unsigned open = bank.open_row == kClosed ? 0 : bank.open_row == chunk.row ? 1 : 2;
    chunk.key.rows = chunk.key.rows << 4 | (place * 3 + open);
  }
  return true;
}

bool FastChannel::follow(Tick to) {
  under_way_ = nullptr;
  const Tick due = refresh_due();
  for (;;) {
    PieceState* piece = intake_.head(base_);
    NextChunk chunk;
    if (piece == nullptr || due <= base_ || !describe(*piece, chunk)) return false;
    const Transition* transition = cache_->find(state_, chunk.key);
    if (transition == nullptr) {
      go_live();
      start_recording(base_, chunk.key);
      return false;
    }
    const Tick end = base_ + transition->ticks;
    if (due < end) return false;
    if (end >= to) {
      under_way_ = transition;
      report_early(*transition);
      return true;
    }
    apply(*transition, chunk, *piece);
    if (credit_ < kFullCredit) ++credit_;
  }
}

void FastChannel::apply(const Transition& transition, const NextChunk& chunk, PieceState& piece) {
  in_flight_.push_back({chunk.first_burst, intake_.head_index(), 0});
  for (const std::uint16_t difference : cache_->shape_at(chunk.key.shape).banks) {
    use(chunk.bank ^ difference).row_entered(chunk.row);
  }
  if (ledger_.observer()) emit(transition);
  apply_statistics(transition);
  piece.next_burst += chunk.bursts;
  if (piece.next_burst == piece.end_burst) intake_.admit_head(base_ + transition.ticks);
  for (const Transition::Served& served : transition.served) {
    const int index = in_flight_[served.age].piece;
    const bool last = intake_.finish_bursts(index, served.bursts, base_ + served.data_end);
    if (last) ledger_.completed(intake_.piece(index));
  }
  for (const Transition::Row& row : transition.rows) {
    use(row.bank ^ origin_).open_row =
        row.age < 0 ? kClosed
                    : in_flight_[static_cast<std::size_t>(row.age)].first_burst >> map_.row_shift();
  }
  std::size_t kept = 0;
  for (const std::uint16_t age : transition.left) in_flight_[kept++] = in_flight_[age];
  in_flight_.resize(kept);
  base_ += transition.ticks;
  state_ = transition.next;
  origin_ = chunk.bank;
}

void FastChannel::apply_statistics(const Transition& transition) {
  ChannelStats& totals = ledger_.totals();
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    totals.commands[kind] += transition.commands[kind];
  }
  for (std::size_t reason = 0; reason < kLostReasons; ++reason) {
    totals.lost_ticks[reason] += transition.lost[reason];
  }
  totals.row_hits += transition.hits;
  totals.row_misses += transition.misses;
  totals.row_conflicts += transition.conflicts;
  totals.busy_ticks += transition.busy;
  // Entering at tick t counts -t, leaving at t counts +t: shifting all by base_ leaves the balance.
  totals.queue_wait_ticks += transition.queue_wait - base_ * transition.queued;
  ledger_.add_queued_bursts(transition.queued);
  for (const Transition::BankCount& count : transition.banks) {
    const auto bank = static_cast<std::size_t>(count.bank ^ origin_);
    totals.bank_activations[bank] += count.activations;
    totals.bank_bursts[bank] += count.bursts;
  }
  for (const Transition::Served& served : transition.served) {
    const core::MemoryRequest& request = intake_.piece(in_flight_[served.age].piece).request;
    const std::int64_t bytes = std::int64_t{served.bursts} * spec_->geometry.burst_bytes;
    totals.read_pin_bytes[static_cast<std::size_t>(request.traffic)] += bytes;
    totals.read_useful_bytes[static_cast<std::size_t>(request.traffic)] += bytes;
  }
}

void FastChannel::emit(const Transition& transition) const {
  for (const Transition::Issued& issued : transition.issued) {
    const Tick tick = base_ + issued.ticks;
    const int bank = issued.bank ^ origin_;
    if (is_column(issued.command)) {
      ledger_.trace(issued.command, map_.decode(in_flight_[issued.age].first_burst + issued.offset),
                    tick);
    } else {
      const std::int64_t row = issued.command == Command::kAct
                                   ? in_flight_[issued.age].first_burst >> map_.row_shift()
                                   : -1;
      ledger_.trace(issued.command, {bank, row, -1}, tick);
    }
  }
}

void FastChannel::go_live() {
  if (!following_) return;
  load(base_, cache_->name_of(state_), in_flight_);
  following_ = false;
  under_way_ = nullptr;
  resume_ = true;
}

void FastChannel::report_early(const Transition& transition) {
  in_flight_.push_back({0, intake_.head_index(), 0});  // ages include the chunk that is entering
  for (const Transition::Served& served : transition.served) {
    intake_.foresee(in_flight_[served.age].piece, served.bursts, base_ + served.data_end);
  }
  in_flight_.pop_back();
  intake_.end_foresight();
}

ChannelStats FastChannel::stats() const {
  if (!following_ || base_ == now_) return EventChannel::stats();
  EventChannel live(*this);  // the controller without its memory, brought up to now
  live.observe({});
  return live.stats_from(base_, cache_->name_of(state_), in_flight_, now_);
}

core::Femtoseconds FastChannel::next_event() const {
  if (!following_ || under_way_ == nullptr) return EventChannel::next_event();
  Tick next = base_ + under_way_->ticks;
  for (const Transition::Served& served : under_way_->served) {
    next = std::min(next, std::max(now_, base_ + served.data_end));
  }
  return std::min(intake_.next_completion(), spec_->tick_clock.time_of(std::max(now_, next)));
}

}  // namespace ridgepoint::dram
