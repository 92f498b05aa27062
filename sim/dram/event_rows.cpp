// SPDX-License-Identifier: Apache-2.0
// Row commands of the event-driven controller: refresh, demand, time-outs.
#include <algorithm>
#include <bit>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {

using event::Plan;

void EventChannel::row_phase(Tick now) {
  const auto is_due = [now](const PseudoChannel& pc) { return pc.idle_at <= now; };
  if (std::none_of(pcs_.begin(), pcs_.end(), is_due)) {
    issue_demand(now);
    return;
  }
  for (PseudoChannel& pc : pcs_) {
    pc.due = is_due(pc);
    if (pc.due) pc.idle_at = core::kNever;  // the looks below say when to come again
  }
  if (issue_refresh(now, true) || issue_demand(now) || issue_refresh(now, false) ||
      issue_timeout(now)) {
    for (PseudoChannel& pc : pcs_) {
      if (pc.due) pc.idle_at = std::min(pc.idle_at, now + 1);
    }
  }
}

inline void EventChannel::opened_row_closes(PseudoChannel& pc, int bank) {
  use(pc.first_bank + bank).open_row = kClosed;
  for (BankQueues& queue : pc.queues) queue.row_closed(bank);
}

inline void EventChannel::begin_row_command(Command command, int bank, std::int64_t row, Tick now,
                                            bool for_other_row) {
  timers_.issue(command, bank, now);
  ledger_.row_command(command, bank, row, now, for_other_row);
  for (PseudoChannel& each : pcs_) each.no_row_before(now + 1);
}

inline void EventChannel::end_row_command(PseudoChannel& pc, Tick now) const {
  if (fcfs_ || optional_rows_) pc.look_for_rows(now + 1);
  if (optional_rows_ || pc.held != 0) pc.idle_at = std::min(pc.idle_at, now + 1);
}

void EventChannel::activate(PseudoChannel& pc, int bank, std::int64_t row, Tick now) {
  begin_row_command(Command::kAct, bank, row, now, false);
  const int local = bank & bank_mask_;
  const std::uint64_t bit = std::uint64_t{1} << local;
  use(bank) = {row, 0, now};
  pc.spent &= ~bit;
  pc.open |= bit;
  for (BankQueues& queue : pc.queues) {
    if (!queue.empty()) queue.row_opened(local, row);
  }
  const Command column = pc.draining ? Command::kWr : Command::kRd;
  pc.column_at = std::min(pc.column_at, timers_.at(Scope::kBank, column, bank));
  plan_row(pc, Command::kAct, now + 1);
  end_row_command(pc, now);
}

void EventChannel::precharge(PseudoChannel& pc, int bank, Tick now, bool for_other_row) {
  begin_row_command(Command::kPre, bank, kClosed, now, for_other_row);
  const int local = bank & bank_mask_;
  const std::uint64_t bit = std::uint64_t{1} << local;
  opened_row_closes(pc, local);
  pc.open &= ~bit;
  if ((pc.active().queued() & bit) != 0) add_row(pc, bank, now + 1);
  plan_row(pc, Command::kPre, now + 1);
  end_row_command(pc, now);
}

// A refresh, or what closes the banks for it.
void EventChannel::refresh(PseudoChannel& pc, Command command, int bank, Tick now) {
  if (command == Command::kPre) return precharge(pc, bank, now, false);
  begin_row_command(command, bank, kClosed, now, false);
  if (precharges(command)) {
    const BankSet banks = spec_->geometry.addressed(command, bank & bank_mask_);
    for (int n = 0; n < banks.count; ++n) {
      close(pc, std::uint64_t{1} << (banks.first + n * banks.stride));
    }
  }
  end_row_command(pc, now);
}

void EventChannel::close(PseudoChannel& pc, std::uint64_t banks) {
  for (std::uint64_t left = banks & pc.open; left != 0; left &= left - 1) {
    opened_row_closes(pc, std::countr_zero(left));
  }
  pc.open &= ~banks;
}

// ---- Refresh

void EventChannel::update_held(PseudoChannel& pc, Tick from) {
  pc.held = 0;
  for (int unit = 0; unit < pc.refresh.units(); ++unit) {
    if (pc.refresh.urgent(unit)) pc.held |= pc.refresh.banks(unit);
  }
  pc.look_for_rows(from);
}

// Closed banks whose ACT would push back an urgent same-bank refresh; they wait for it. It will
// come within spec.act_to_refresh, and idle_at is then due.
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

bool EventChannel::issue_refresh(Tick now, bool urgent) {
  for (PseudoChannel& pc : pcs_) {
    const bool wanted = urgent ? pc.held != 0 : pc.refresh.owes();
    if (pc.due && wanted && try_refresh(pc, now, urgent)) return true;
  }
  return false;
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
      pc.idle_at = std::min(pc.idle_at, ready);
      continue;
    }
    refresh(pc, command, bank, now);
    if (closed) {
      pc.refresh.refreshed(unit);
      update_held(pc, now + 1);
    }
    return true;
  }
  return false;
}

// ---- Demand

// Whether the plan is what a look would find. An ACT changes nothing for the next PRE of its
// pseudo-channel, nor a PRE for the next ACT, but on the channel's bus.
inline bool EventChannel::stands(const PseudoChannel& pc, const Plan& plan, Command command,
                                 Tick now) const {
  return plan.bank >= 0 && plans_last(pc) && timers_.at(Scope::kChannel, command, plan.bank) <= now;
}

bool EventChannel::issue_demand(Tick now) {
  PseudoChannel* from = nullptr;
  Command command{};
  Plan best;
  const auto consider = [&](PseudoChannel& pc, Command kind, Plan& plan) {
    if (plan.tick > now) return;
    if (!stands(pc, plan, kind, now)) plan_row(pc, kind, now);
    if (plan.tick > now || (from != nullptr && plan.order > best.order)) return;
    from = &pc;
    command = kind;
    best = plan;
  };
  for (PseudoChannel& pc : pcs_) {
    consider(pc, Command::kAct, pc.act);
    consider(pc, Command::kPre, pc.pre);
  }
  if (from == nullptr) return false;
  if (command == Command::kAct) {
    activate(*from, best.bank, from->active().oldest(best.bank & bank_mask_).row, now);
  } else {
    precharge(*from, best.bank, now, true);
  }
  return true;
}

void EventChannel::plan_row(PseudoChannel& pc, Command command, Tick from) {
  const BankQueues& queue = pc.active();
  std::uint64_t left = queue.queued() & ~pc.held & ~(pc.open & queue.hits());
  if (fcfs_ || pc.spent != 0) left |= capped(pc, queue) & ~pc.held;
  if (fcfs_) left = only_oldest(queue, left);
  left &= command == Command::kAct ? ~pc.open : pc.open;
  if (spec_->act_to_refresh > 0) left &= ~acts_behind_refresh(pc, from);
  Plan plan;
  if (left != 0) {
    const Tick mask = spec_->align[static_cast<std::size_t>(command)] - 1;
    const Tick gate = std::max(from, timers_.wide(command, pc.first_bank));
    const Tick* const ready = timers_.of_banks(command);
    for (; left != 0; left &= left - 1) {
      const int bank = std::countr_zero(left);
      const int flat_bank = pc.first_bank + bank;
      const Tick tick = (std::max(gate, ready[flat_bank]) + mask) & ~mask;
      if (tick > plan.tick) continue;
      const std::uint64_t order = queue.oldest(bank).order;
      if (tick < plan.tick || order < plan.order) plan = {tick, flat_bank, order};
    }
  }
  pc.row(command) = plan;
}

// The bank, without requests to an open row, has got one to another row, or has been closed.
void EventChannel::add_row(PseudoChannel& pc, int bank, Tick from) {
  const int local = bank & bank_mask_;
  const Command command = (pc.open >> local & 1) != 0 ? Command::kPre : Command::kAct;
  if (plans_last(pc)) {
    pc.row(command).add({when(command, bank, from), bank, pc.active().oldest(local).order});
  } else {
    pc.row(command).look(from);
  }
}

// ---- Time-outs

bool EventChannel::issue_timeout(Tick now) {
  if (spec_->config.row_policy != RowPolicy::kTimeout) return false;
  for (PseudoChannel& pc : pcs_) {
    if (pc.due && try_timeout(pc, now)) return true;
  }
  return false;
}

bool EventChannel::try_timeout(PseudoChannel& pc, Tick now) {
  const std::uint64_t wanted = pc.queues[0].hits() | pc.queues[1].hits();
  for (std::uint64_t left = pc.open & ~wanted; left != 0; left &= left - 1) {
    const int bank = pc.first_bank + std::countr_zero(left);
    const Tick ready =
        std::max(when(Command::kPre, bank, now),
                 spec_->align_up(Command::kPre, use(bank).last_use + spec_->row_timeout));
    if (ready > now) {
      pc.idle_at = std::min(pc.idle_at, ready);
      continue;
    }
    precharge(pc, bank, now, false);
    return true;
  }
  return false;
}

}  // namespace ridgepoint::dram
