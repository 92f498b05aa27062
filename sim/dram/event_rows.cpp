// SPDX-License-Identifier: Apache-2.0
// Row commands of the event-driven controller: refresh, demand, time-outs.
#include <algorithm>
#include <bit>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {

void EventChannel::row_phase(Tick now) {
  bool look = false;
  for (PseudoChannel& pc : pcs_) {
    pc.row_due = pc.row_at <= now;
    look = look || pc.row_due;
    if (pc.row_due) pc.row_at = core::kNever;  // the looks below say when to come again
  }
  if (look && issue_row_command(now)) {
    for (PseudoChannel& pc : pcs_) {
      if (pc.row_due) pc.row_at = std::min(pc.row_at, now + 1);
    }
  }
}

// True when what is possible at the next tick is not known yet.
bool EventChannel::issue_row_command(Tick now) {
  for (PseudoChannel& pc : pcs_) {
    if (pc.row_due && pc.held != 0 && try_refresh(pc, now, true)) return true;
  }
  Candidate best;
  for (PseudoChannel& pc : pcs_) {
    if (pc.row_due) find_demand(pc, now, best);
  }
  if (best.bank >= 0) {
    PseudoChannel& pc = pc_of(best.bank);
    issue_row(pc, best, now, best.command == Command::kPre);
    if (fancy_ || optional_rows_ || pc.held != 0) return true;
    if (best.command == Command::kPre) {
      pc.row_at = std::min(pc.row_at, when(Command::kAct, best.bank, now + 1));
    }
    return false;
  }
  for (PseudoChannel& pc : pcs_) {
    if (pc.row_due && pc.refresh.owes() && try_refresh(pc, now, false)) return true;
  }
  if (spec_->config.row_policy != RowPolicy::kTimeout) return false;
  for (PseudoChannel& pc : pcs_) {
    if (pc.row_due && try_timeout(pc, now)) return true;
  }
  return false;
}

void EventChannel::issue_row(PseudoChannel& pc, const Candidate& candidate, Tick now,
                             bool for_other_row) {
  const auto [command, bank, row, order] = candidate;
  timers_.issue(command, bank, now);
  ledger_.row_command(command, bank, row, now, for_other_row);
  const int local = bank & bank_mask_;
  const std::uint64_t bit = std::uint64_t{1} << local;
  if (command == Command::kAct) {
    BankUse& opened = use(bank);
    opened.open_row = row;
    opened.served = 0;
    opened.row_ready = 0;
    opened.last_use = now;
    pc.open |= bit;
    for (BankQueues& queue : pc.queues) queue.row_opened(local, row);
    pc.column_at =
        std::min(pc.column_at, when(pc.draining ? Command::kWr : Command::kRd, bank, now));
  } else if (command == Command::kPre) {
    close(pc, bit);
  } else if (precharges(command)) {
    const BankSet banks = spec_->geometry.addressed(command, local);
    for (int n = 0; n < banks.count; ++n) {
      close(pc, std::uint64_t{1} << (banks.first + n * banks.stride));
    }
  }
}

void EventChannel::close(PseudoChannel& pc, std::uint64_t banks) {
  for (std::uint64_t left = banks & pc.open; left != 0; left &= left - 1) {
    const int bank = std::countr_zero(left);
    use(pc.first_bank + bank).open_row = kClosed;
    use(pc.first_bank + bank).row_ready = 0;
    for (BankQueues& queue : pc.queues) queue.row_closed(bank);
  }
  pc.open &= ~banks;
}

// ---- Refresh

void EventChannel::update_held(PseudoChannel& pc) {
  pc.held = 0;
  for (int unit = 0; unit < pc.refresh.units(); ++unit) {
    if (pc.refresh.urgent(unit)) pc.held |= pc.refresh.banks(unit);
  }
}

// Closed banks whose ACT would push back an urgent same-bank refresh; they wait for it. It will
// come within spec.act_to_refresh, and row_at is then due.
std::uint64_t EventChannel::acts_behind_refresh(const PseudoChannel& pc, Tick now) const {
  std::uint64_t behind = 0;
  for (int unit = 0; unit < pc.refresh.units(); ++unit) {
    if (!pc.refresh.urgent(unit) || (pc.open & pc.refresh.banks(unit)) != 0) continue;
    const int bank = pc.first_bank + pc.refresh.first_bank(unit);
    const Command refresh = pc.refresh.refresh();
    if (spec_->align_up(refresh, timers_.earliest(refresh, bank)) >= now + spec_->act_to_refresh) {
      continue;
    }
    const int banks = spec_->geometry.banks_per_stack_id();
    const std::uint64_t all = banks == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << banks) - 1;
    behind |= all << unit * banks;
  }
  return behind & ~pc.open;
}

bool EventChannel::try_refresh(PseudoChannel& pc, Tick now, bool urgent) {
  for (int unit = 0; unit < pc.refresh.units(); ++unit) {
    if (!pc.refresh.owes(unit) || pc.refresh.urgent(unit) != urgent) continue;
    const std::uint64_t banks = pc.refresh.banks(unit);
    const std::uint64_t queued = pc.queues[0].queued() | pc.queues[1].queued();
    if (!urgent && (queued & banks) != 0) continue;
    const bool closed = (pc.open & banks) == 0;
    const Command command = closed ? pc.refresh.refresh() : pc.refresh.close();
    const int bank = pc.first_bank + std::countr_zero(banks);
    const Tick ready = when(command, bank, now);
    if (ready > now) {
      pc.row_at = std::min(pc.row_at, ready);
      continue;
    }
    issue_row(pc, {command, bank, kClosed, 0}, now, false);
    if (closed) {
      pc.refresh.refreshed(unit);
      update_held(pc);
    }
    return true;
  }
  return false;
}

// ---- Demand

void EventChannel::find_demand(PseudoChannel& pc, Tick now, Candidate& best) {
  const BankQueues& queue = pc.active();
  std::uint64_t banks = queue.queued() & ~pc.held & ~(pc.open & queue.hits());
  if (fancy_) {
    banks |= capped(pc, queue) & ~pc.held;
    if (fcfs_) banks = only_oldest(queue, banks);
  }
  if (spec_->act_to_refresh > 0) banks &= ~acts_behind_refresh(pc, now);
  for (const Command command : {Command::kAct, Command::kPre}) {
    std::uint64_t left = command == Command::kAct ? banks & ~pc.open : banks & pc.open;
    if (left == 0) continue;
    const Tick wide = spec_->align_up(command, std::max(now, timers_.wide(command, pc.first_bank)));
    if (wide > now) {
      pc.row_at = std::min(pc.row_at, wide);
      continue;
    }
    for (; left != 0; left &= left - 1) {
      const int bank = pc.first_bank + std::countr_zero(left);
      Tick& ready = use(bank).row_ready;
      if (ready <= now) {
        ready = spec_->align_up(command, std::max(now, timers_.narrow(command, bank)));
      }
      if (ready > now) {
        pc.row_at = std::min(pc.row_at, ready);
      } else {
        consider(pc, command, bank, now, best);
      }
    }
  }
}

// A row command that may come now: all but the best wait for the next tick.
void EventChannel::consider(PseudoChannel& pc, Command command, int bank, Tick now,
                            Candidate& best) {
  const BankQueues::Visit& oldest = pc.active().oldest(bank & bank_mask_);
  PseudoChannel* loser = &pc;
  if (oldest.oldest().order < best.order) {
    loser = best.bank < 0 ? nullptr : &pc_of(best.bank);
    best = {command, bank, oldest.row, oldest.oldest().order};
  }
  if (loser != nullptr) loser->row_at = std::min(loser->row_at, now + 1);
}

// ---- Time-outs

bool EventChannel::try_timeout(PseudoChannel& pc, Tick now) {
  const std::uint64_t wanted = pc.queues[0].hits() | pc.queues[1].hits();
  for (std::uint64_t left = pc.open & ~wanted; left != 0; left &= left - 1) {
    const int bank = pc.first_bank + std::countr_zero(left);
    const Tick ready =
        std::max(when(Command::kPre, bank, now),
                 spec_->align_up(Command::kPre, use(bank).last_use + spec_->row_timeout));
    if (ready > now) {
      pc.row_at = std::min(pc.row_at, ready);
      continue;
    }
    issue_row(pc, {Command::kPre, bank, kClosed, 0}, now, false);
    return true;
  }
  return false;
}

}  // namespace ridgepoint::dram
