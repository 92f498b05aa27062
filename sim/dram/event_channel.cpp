// SPDX-License-Identifier: Apache-2.0
// Entering, direction and column commands; row commands are in event_rows.cpp.
#include "sim/dram/event_channel.hpp"

#include <algorithm>
#include <bit>

namespace ridgepoint::dram {

EventChannel::EventChannel(std::shared_ptr<const Spec> spec)
    : ChannelBase(std::move(spec)),
      timers_(*spec_),
      use_(static_cast<std::size_t>(spec_->geometry.total_banks())),
      pc_shift_(
          std::countr_zero(static_cast<unsigned>(spec_->geometry.banks_per_pseudo_channel()))),
      bank_mask_(spec_->geometry.banks_per_pseudo_channel() - 1),
      data_end_{spec_->timing("tCL") + spec_->timing("tBURST"),
                spec_->timing("tCWL") + spec_->timing("tBURST")},
      fcfs_(spec_->config.scheduler == SchedulerKind::kFcfs),
      fancy_(fcfs_ || spec_->config.hit_cap > 0),
      siblings_(spec_->geometry.stack_ids > 1),
      optional_rows_(spec_->config.row_policy == RowPolicy::kTimeout ||
                     spec_->config.refresh_postpone > 0) {
  const int banks = spec_->geometry.banks_per_pseudo_channel();
  for (int pc = 0; pc < spec_->geometry.pseudo_channels; ++pc) {
    pcs_.push_back({pc,
                    pc * banks,
                    {BankQueues(spec_->config.read_queue, banks),
                     BankQueues(spec_->config.write_queue, banks)},
                    false,
                    0,
                    0,
                    RefreshCounter(*spec_),
                    0,
                    core::kNever,
                    false});
  }
}

Tick EventChannel::next_tick() const {
  Tick next = start_at_;
  for (const PseudoChannel& pc : pcs_) next = std::min({next, pc.row_at, pc.column_at});
  return next;
}

void EventChannel::run(Tick from, Tick to) {
  // Requests may have arrived that start_at_ does not know of.
  start_at_ = std::min(start_at_, std::max(from, intake_.next_arrival()));
  for (Tick now = next_tick(); now < to; now = next_tick()) {
    if (start_at_ <= now && !start_tick(now)) return;
    row_phase(now);
    // A column command makes room: what the next tick begins with is done at once when it is due.
    if (column_phase(now)) {
      start_at_ = now + 1;
      if (now + 1 < to && !start_tick(now + 1)) return;
    }
  }
}

// False when at_boundary stopped the run.
bool EventChannel::start_tick(Tick now) {
  start_at_ = core::kNever;
  feed(now);
  if (stopped_) return false;
  for (PseudoChannel& pc : pcs_) {
    choose_direction(pc, now);
    if (pc.refresh.next_due() <= now) {
      pc.refresh.accrue(now);
      update_held(pc);
      pc.row_at = now;
    }
    start_at_ = std::min(start_at_, pc.refresh.next_due());
  }
  return true;
}

// ---- Entering

// Blocked bursts are tried again after the next column command, the only thing that makes room.
void EventChannel::feed(Tick now) {
  while (PieceState* piece = intake_.head(now)) {
    if (chunk_to_enter_ == 0) {
      if (at_boundary(now)) {
        stopped_ = true;
        return;
      }
      open_chunk(*piece);
    }
    if (!enter(*piece, now)) return;
    --chunk_to_enter_;
    if (++piece->next_burst == piece->end_burst) intake_.admit_head(now);
    if (chunk_to_enter_ == 0) chunk_entered(now);
  }
  start_at_ = intake_.next_arrival();
}

void EventChannel::open_chunk(const PieceState& piece) {
  const std::int64_t end = (piece.next_burst / kChunkBursts + 1) * kChunkBursts;
  chunk_to_enter_ = std::min(end, piece.end_burst) - piece.next_burst;
  origin_ = map_.decode(piece.next_burst).bank;
  chunks_.push_back(
      {piece.next_burst, intake_.head_index(), static_cast<std::int32_t>(chunk_to_enter_)});
}

void EventChannel::burst_left(std::uint32_t chunk) {
  --chunks_[chunk - first_chunk_].left;
  while (!chunks_.empty() && chunks_.front().left == 0) {
    chunks_.pop_front();
    ++first_chunk_;
  }
}

bool EventChannel::enter(PieceState& piece, Tick now) {
  const DramAddress at = map_.decode(piece.next_burst);
  PseudoChannel& pc = pc_of(at.bank);
  const bool write = piece.request.is_write;
  const int bank = at.bank & bank_mask_;
  BankQueues& queue = pc.queues[write];
  const BankQueues& other = pc.queues[!write];
  const std::uint64_t bit = std::uint64_t{1} << bank;
  const bool same_burst = (other.queued() & bit) != 0 && other.contains(bank, at.row, at.column);
  if (same_burst ? write : queue.full()) return false;
  const std::int64_t useful = intake_.useful_bytes(piece, piece.next_burst);
  const int index = intake_.head_index();
  if (same_burst) {
    ledger_.forwarded(piece.request.traffic, useful);
    burst_left(first_chunk_ + static_cast<std::uint32_t>(chunks_.size()) - 1);
    if (intake_.finish_burst(index, now + 1)) ledger_.completed(piece);
    return true;
  }
  if (queue.empty() && other.empty()) ledger_.queue_became(false, pc.index, now);
  ledger_.entered(now);
  BankUse& row = use(at.bank);
  const std::int64_t open_row = row.open_row;
  row.row_entered(at.row);
  queue.push(bank,
             {at.row, entered_++, now, piece.next_burst, index, static_cast<std::int32_t>(useful),
              first_chunk_ + static_cast<std::uint32_t>(chunks_.size()) - 1,
              static_cast<std::uint16_t>(at.column), 0},
             open_row);
  // A row already open may be used as soon as its registers say; anything else is for the row bus.
  if (open_row == at.row) {
    pc.column_at = std::min(pc.column_at, now);
  } else if ((queue.hits() >> bank & 1) == 0 || fancy_) {
    pc.row_at = std::min(pc.row_at, now);
  }
  return true;
}

void EventChannel::choose_direction(PseudoChannel& pc, Tick now) {
  const int writes = pc.queues[1].size();
  const bool before = pc.draining;
  if (pc.draining) {
    pc.draining = writes > 0 && (writes > spec_->config.write_low || pc.queues[0].empty());
  } else {
    pc.draining = writes >= spec_->config.write_high || (writes > 0 && pc.queues[0].empty());
  }
  if (pc.draining == before) return;
  pc.row_at = std::min(pc.row_at, now);
  pc.column_at = std::min(pc.column_at, now);
}

// ---- Candidates off the fast track

// FCFS looks at one request only: its bank, if it is among `banks`.
std::uint64_t EventChannel::only_oldest(const BankQueues& queue, std::uint64_t banks) const {
  int chosen = -1;
  for (std::uint64_t left = queue.queued(); left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    if (chosen < 0 || queue.oldest(bank).order < queue.oldest(chosen).order) chosen = bank;
  }
  return chosen < 0 ? 0 : banks & (std::uint64_t{1} << chosen);
}

// Open banks whose row has served its share while an older request waits for another row. Under
// FCFS the same rule with a share of zero says that only the oldest request counts.
std::uint64_t EventChannel::capped(const PseudoChannel& pc, const BankQueues& queue) const {
  const int cap = spec_->config.hit_cap;
  std::uint64_t result = 0;
  for (std::uint64_t left = queue.queued() & pc.open; left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    const BankUse& row = use(pc.first_bank + bank);
    const bool spent = fcfs_ || (cap > 0 && row.served >= cap);
    if (spent && queue.oldest(bank).row != row.open_row) result |= std::uint64_t{1} << bank;
  }
  return result;
}

// ---- Column commands

bool EventChannel::column_phase(Tick now) {
  Candidate best;
  for (PseudoChannel& pc : pcs_) {
    if (pc.column_at <= now) find_column(pc, now, best);
  }
  if (best.bank < 0) return false;
  issue_column(pc_of(best.bank), best.bank, now);
  for (PseudoChannel& pc : pcs_) {
    if (pc.column_at <= now) pc.column_at = column_gate(pc, now + 1);
  }
  return true;
}

// Before this no column command of the active direction fits on the buses.
Tick EventChannel::column_gate(const PseudoChannel& pc, Tick now) const {
  const Command command = pc.draining ? Command::kWr : Command::kRd;
  return spec_->align_up(command, std::max(now, timers_.wide(command, pc.first_bank)));
}

// The oldest request to an open row whose time has come; else sets column_at.
void EventChannel::find_column(PseudoChannel& pc, Tick now, Candidate& best) {
  const Tick gate = column_gate(pc, now);
  if (gate > now) {
    pc.column_at = gate;
    return;
  }
  const BankQueues& queue = pc.active();
  const Command command = pc.draining ? Command::kWr : Command::kRd;
  std::uint64_t banks = queue.hits() & ~pc.held;
  if (fancy_) {
    banks &= ~capped(pc, queue);
    if (fcfs_) banks = only_oldest(queue, banks);
  }
  Tick again = core::kNever;
  bool found = false;
  for (; banks != 0; banks &= banks - 1) {
    const int bank = std::countr_zero(banks);
    const Tick ready = timers_.narrow(command, pc.first_bank + bank);
    if (ready > now) {
      again = std::min(again, ready);
      continue;
    }
    found = true;
    const std::uint64_t order = queue.hit(bank).order;
    if (best.bank < 0 || order < best.order) best = {command, pc.first_bank + bank, 0, order, 0};
  }
  if (!found) pc.column_at = again == core::kNever ? again : spec_->align_up(command, again);
}

void EventChannel::issue_column(PseudoChannel& pc, int flat_bank, Tick now) {
  const int bank = flat_bank & bank_mask_;
  const bool write = pc.draining;
  const BankQueues::Entry entry = pc.queues[write].pop_hit(bank);
  const std::uint64_t bit = std::uint64_t{1} << bank;
  const bool more = ((pc.queues[0].hits() | pc.queues[1].hits()) & bit) != 0;
  const bool close = !more && spec_->config.row_policy == RowPolicy::kClosed;
  const Command command =
      write ? (close ? Command::kWra : Command::kWr) : (close ? Command::kRda : Command::kRd);
  timers_.issue(command, flat_bank, now);
  if (siblings_) timers_.issue_siblings(command, flat_bank, now);
  BankUse& row = use(flat_bank);
  ++row.served;
  row.last_use = now;
  ledger_.column_command(command, {flat_bank, entry.row, entry.column}, entry.entered, now,
                         intake_.piece(entry.piece).request.traffic, entry.useful_bytes);
  column_issued(command, flat_bank, entry, now);
  burst_left(entry.chunk);
  if (intake_.finish_burst(entry.piece, now + data_end_[write])) {
    ledger_.completed(intake_.piece(entry.piece));
  }
  if (pc.queues[0].empty() && pc.queues[1].empty()) ledger_.queue_became(true, pc.index, now);
  if (close) {
    row.open_row = kClosed;
    pc.open &= ~bit;
  }
  // Without hits the bank may need a row command, its refresh may suit, or its row may time out.
  const bool wanted = (pc.queues[write].queued() & bit) != 0;
  if (fancy_ || optional_rows_ || close) {
    if (!more || wanted || fancy_) pc.row_at = std::min(pc.row_at, now + 1);
  } else if (wanted && (pc.queues[write].hits() & bit) == 0) {
    pc.row_at = std::min(pc.row_at, when(Command::kPre, flat_bank, now + 1));
  }
}

}  // namespace ridgepoint::dram
