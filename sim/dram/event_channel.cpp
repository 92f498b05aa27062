// SPDX-License-Identifier: Apache-2.0
// The loop over ticks, direction and column commands; bursts enter in event_enter.cpp, and row
// commands are in event_rows.cpp.
#include "sim/dram/event_channel.hpp"

#include <algorithm>
#include <bit>

namespace ridgepoint::dram {
EventChannel::EventChannel(std::shared_ptr<const Spec> spec) : EventChannel(spec, Timers(*spec)) {}

EventChannel::EventChannel(std::shared_ptr<const Spec> spec, Timers timers)
    : ChannelBase(std::move(spec)),
      timers_(std::move(timers)),
      use_(static_cast<std::size_t>(spec_->geometry.total_banks())),
      pc_shift_(spec_->geometry.node_shift(Scope::kPseudoChannel)),
      bank_mask_(spec_->geometry.banks_per_pseudo_channel() - 1),
      data_end_{spec_->timing("tCL") + spec_->timing("tBURST"),
                spec_->timing("tCWL") + spec_->timing("tBURST")},
      fcfs_(spec_->config.scheduler == SchedulerKind::kFcfs),
      optional_rows_(spec_->config.row_policy == RowPolicy::kTimeout ||
                     spec_->config.refresh_postpone > 0) {
  run_bursts_ = std::min(map_.run_bursts(), BankQueues::kVisitBursts);
  run_shift_ = std::countr_zero(static_cast<unsigned>(run_bursts_));
  const bool whole = run_bursts_ == map_.run_bursts() && map_.cycle_runs() <= Incoming::kMostRuns;
  cycle_runs_ = whole ? map_.cycle_runs() : 1;
  cycle_bursts_ =
      whole ? std::min(map_.cycle_bursts(), cycle_runs_ * BankQueues::kVisitBursts) : run_bursts_;
  const int banks = spec_->geometry.banks_per_pseudo_channel();
  for (int pc = 0; pc < spec_->geometry.pseudo_channels; ++pc) {
    pcs_.push_back({pc,
                    pc * banks,
                    {BankQueues(spec_->config.read_queue, banks, map_.places()),
                     BankQueues(spec_->config.write_queue, banks, map_.places())},
                    RefreshCounter(*spec_)});
  }
  plans_last_ = !fcfs_;
  for (const Scope scope : {Scope::kBankGroup, Scope::kStackId, Scope::kPseudoChannel}) {
    plans_last_ = plans_last_ && timers_.spacing(scope, Command::kAct, Command::kPre) == 0 &&
                  timers_.spacing(scope, Command::kPre, Command::kAct) == 0;
  }
}

Tick EventChannel::next_tick() const {
  return std::min(start_at_, std::min(next_row(), next_column()));
}

int EventChannel::room() const {
  int room = 0;
  for (const PseudoChannel& pc : pcs_) room += pc.queues[0].room();
  return room;
}

void EventChannel::run(Tick from, Tick to) {
  // Requests may have arrived that start_at_ does not know of.
  start_at_ = std::min(start_at_, std::max(from, intake_.next_arrival()));
  for (Tick now = next_tick(); now < to; now = next_tick()) {
    if (pause_ > 0) {
      --pause_;
    } else if (shortcuts_) {
      now = shortcut(now, to);
      if (now >= to) return;
    }
    if (start_at_ <= now) start_tick(now);
    if (next_row() <= now) row_phase(now);
    // A column command makes room: what the next tick begins with is done at once when it is due.
    if (next_column() <= now && column_phase(now)) {
      start_at_ = now + 1;
      if (now + 1 < to) start_tick(now + 1);
    }
  }
}

void EventChannel::start_tick(Tick now) {
  start_at_ = core::kNever;
  feed(now);
  for (PseudoChannel& pc : pcs_) {
    choose_direction(pc, now);
    refreshes_due(pc, now);
    start_at_ = std::min(start_at_, pc.refresh.next_due());
  }
}

void EventChannel::refreshes_due(PseudoChannel& pc, Tick now) {
  if (pc.refresh.next_due() > now) return;
  pc.refresh.accrue(now);
  update_held(pc, now);
  pc.idle_at = now;
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
  pc.look_for_rows(now);
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
  std::uint64_t result = 0;
  const std::uint64_t spent = fcfs_ ? pc.open : pc.spent & pc.open;
  for (std::uint64_t left = queue.queued() & spent; left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    if (queue.oldest(bank).row != use(pc.first_bank + bank).open_row) {
      result |= std::uint64_t{1} << bank;
    }
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
  PseudoChannel& from = pc_of(best.bank);
  const bool was_last = from.others_at > now;  // that is ready
  issue_column(from, best.bank, now);
  for (PseudoChannel& pc : pcs_) {
    if (pc.column_at <= now) pc.column_at = column_gate(pc, now + 1);
  }
  const bool more = (from.active().hits() >> (best.bank & bank_mask_) & 1) != 0;
  if (was_last && !more && !fcfs_) from.column_at = std::max(from.column_at, from.others_at);
  return true;
}

// Before this no column command of the active direction fits on the buses.
Tick EventChannel::column_gate(const PseudoChannel& pc, Tick now) const {
  const Command command = pc.draining ? Command::kWr : Command::kRd;
  return spec_->align_up(command, std::max(now, timers_.wide(command, pc.first_bank)));
}

// The oldest request to an open row whose time has come; others_at is when another's comes. Without
// one it is column_at that is set.
void EventChannel::find_column(PseudoChannel& pc, Tick now, Candidate& best) {
  const Tick gate = column_gate(pc, now);
  if (gate > now) {
    pc.column_at = gate;
    return;
  }
  const BankQueues& queue = pc.active();
  const Command command = pc.draining ? Command::kWr : Command::kRd;
  std::uint64_t banks = queue.hits() & ~pc.held;
  if (fcfs_ || pc.spent != 0) banks &= ~capped(pc, queue);
  if (fcfs_) banks = only_oldest(queue, banks);
  Tick again = core::kNever;
  int found = 0;
  const Timers::Narrow narrow = timers_.narrow(command);
  for (; banks != 0; banks &= banks - 1) {
    const int bank = std::countr_zero(banks);
    const Tick ready = narrow(pc.first_bank + bank);
    if (ready > now) {
      again = std::min(again, ready);
      continue;
    }
    ++found;
    const std::uint64_t order = queue.hit(bank).order;
    if (best.bank < 0 || order < best.order) best = {pc.first_bank + bank, order};
  }
  if (again != core::kNever) again = spec_->align_up(command, again);
  if (found == 0) pc.column_at = again;
  pc.others_at = found > 1 ? now : again;
}

// The last queued burst of a visit leaves.
void EventChannel::visit_left(PseudoChannel& pc, bool write, int flat_bank, Tick data_end) {
  BankQueues& queue = pc.queues[write];
  const BankQueues::Visit& visit = queue.hit(flat_bank & bank_mask_);
  Entrance& entrance = incoming_.entrance[visit.entrance];
  if (entrance.visit == &visit) incoming_.forget(entrance);
  const std::int32_t piece = visit.piece;
  const std::int32_t bursts = visit.total;
  queue.leave_last(flat_bank & bank_mask_);
  if (intake_.finish_bursts(piece, bursts, data_end)) ledger_.completed(intake_.piece(piece));
}

// Of the visit's next burst.
std::int64_t EventChannel::useful_bytes(const BankQueues::Visit& visit, int flat_bank) const {
  if (visit.whole) return spec_->geometry.burst_bytes;
  return intake_.useful_bytes(intake_.piece(visit.piece),
                              map_.encode({flat_bank, visit.row, visit.oldest_column()}));
}

void EventChannel::issue_column(PseudoChannel& pc, int flat_bank, Tick now) {
  const int bank = flat_bank & bank_mask_;
  const bool write = pc.draining;
  BankQueues::Visit& visit = pc.queues[write].hit(bank);
  const Tick entered = visit.entered[visit.left];
  const int column = visit.oldest_column();
  const core::Traffic traffic = visit.traffic;
  const std::int64_t useful = useful_bytes(visit, flat_bank);
  if (visit.queued() > 1) {
    pc.queues[write].leave(visit);
  } else {
    visit_left(pc, write, flat_bank, now + data_end_[write]);
  }
  const std::uint64_t bit = std::uint64_t{1} << bank;
  const bool more = ((pc.queues[0].hits() | pc.queues[1].hits()) & bit) != 0;
  const bool close = !more && spec_->config.row_policy == RowPolicy::kClosed;
  const Command command =
      write ? (close ? Command::kWra : Command::kWr) : (close ? Command::kRda : Command::kRd);
  timers_.issue(command, flat_bank, now);
  BankUse& row = use(flat_bank);
  served(pc, flat_bank, 1);
  row.last_use = now;
  ledger_.column_command(command, {flat_bank, row.open_row, column}, entered, now, traffic, useful);
  if (pc.queues[0].empty() && pc.queues[1].empty()) ledger_.queue_became(true, pc.index, now);
  if (close) {
    row.open_row = kClosed;
    pc.open &= ~bit;
  }
  // Without hits the bank may need a row command, its refresh may suit, or its row may time out.
  if (optional_rows_ && !more) pc.idle_at = std::min(pc.idle_at, now + 1);
  if (fcfs_) {
    pc.look_for_rows(now + 1);
  } else if ((pc.queues[write].queued() & bit) != 0 &&
             ((pc.queues[write].hits() & bit) == 0 ||
              ((pc.spent & bit) != 0 && pc.queues[write].oldest(bank).row != row.open_row))) {
    add_row(pc, flat_bank, now + 1);
  }
}

}  // namespace ridgepoint::dram
