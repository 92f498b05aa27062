// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/oracle.hpp"

#include <algorithm>

namespace ridgepoint::dram {

OracleChannel::OracleChannel(std::shared_ptr<const Spec> spec)
    : ChannelBase(std::move(spec)),
      device_(*spec_),
      use_(static_cast<std::size_t>(spec_->geometry.total_banks())) {
  for (int pc = 0; pc < spec_->geometry.pseudo_channels; ++pc) {
    pcs_.push_back({{}, {}, false, RefreshCounter(*spec_)});
  }
}

void OracleChannel::run(Tick from, Tick to) {
  for (Tick now = from; now < to; ++now) tick(now);
}

void OracleChannel::tick(Tick now) {
  feed(now);
  for (PseudoChannel& pc : pcs_) {
    choose_direction(pc);
    pc.refresh.accrue(now);
  }
  if (!issue_refresh(now, true) && !issue_for_demand(now) && !issue_refresh(now, false)) {
    issue_timeout(now);
  }
  issue_column(now);
}

// ---- 1. Entering

void OracleChannel::feed(Tick now) {
  while (PieceState* piece = intake_.head(now)) {
    if (!enter(*piece, now)) return;
    if (++piece->next_burst == piece->end_burst) intake_.admit_head(now);
  }
}

bool OracleChannel::enter(PieceState& piece, Tick now) {
  const DramAddress at = map_.decode(piece.next_burst);
  PseudoChannel& pc = pcs_[static_cast<std::size_t>(pc_of(at.bank))];
  const bool write = piece.request.is_write;
  const Queue& other = write ? pc.reads : pc.writes;
  const bool same_burst =
      std::any_of(other.begin(), other.end(), [&](const Entry& entry) { return entry.at == at; });
  if (same_burst && write) return false;
  const std::int64_t useful = intake_.useful_bytes(piece, piece.next_burst);
  const int index = intake_.head_index();
  if (same_burst) {
    ledger_.forwarded(piece.request.traffic, useful);
    if (intake_.finish_burst(index, now + 1)) ledger_.completed(piece);
    return true;
  }
  Queue& queue = write ? pc.writes : pc.reads;
  const int room = write ? spec_->config.write_queue : spec_->config.read_queue;
  if (static_cast<int>(queue.size()) >= room) return false;
  if (pc.reads.empty() && pc.writes.empty()) ledger_.queue_became(false, pc_of(at.bank), now);
  ledger_.entered(1, now);
  queue.push_back({at, index, useful, now, entered_++});
  return true;
}

// ---- 2. Direction

void OracleChannel::choose_direction(PseudoChannel& pc) const {
  const int writes = static_cast<int>(pc.writes.size());
  if (pc.draining) {
    pc.draining = writes > 0 && (writes > spec_->config.write_low || pc.reads.empty());
  } else {
    pc.draining = writes >= spec_->config.write_high || (writes > 0 && pc.reads.empty());
  }
}

// ---- 3. Row commands

void OracleChannel::issue_row(Command command, int bank, std::int64_t row, Tick now,
                              bool for_other_row) {
  device_.issue(command, bank, row, now);
  ledger_.row_command(command, bank, row, now, for_other_row);
  if (command == Command::kAct) use_[static_cast<std::size_t>(bank)] = {0, now};
}

bool OracleChannel::held_by_refresh(int bank) const {
  const Geometry& geometry = spec_->geometry;
  const RefreshCounter& refresh = pcs_[static_cast<std::size_t>(pc_of(bank))].refresh;
  const int unit = geometry.node_of(Scope::kStackId, bank) % geometry.stack_ids;
  return refresh.urgent(unit) && refresh.covers(unit, bank % geometry.banks_per_pseudo_channel());
}

bool OracleChannel::act_would_delay_refresh(int bank, Tick now) const {
  const Geometry& geometry = spec_->geometry;
  const int pc = pc_of(bank);
  const RefreshCounter& refresh = pcs_[static_cast<std::size_t>(pc)].refresh;
  const int unit = geometry.node_of(Scope::kStackId, bank) % geometry.stack_ids;
  if (spec_->act_to_refresh == 0 || !refresh.urgent(unit)) return false;
  const int first = pc * geometry.banks_per_pseudo_channel() + refresh.first_bank(unit);
  return device_.all_closed(geometry.addressed(refresh.refresh(), first)) &&
         device_.earliest(refresh.refresh(), first) < now + spec_->act_to_refresh;
}

bool OracleChannel::unit_is_idle(int index, int unit) const {
  const PseudoChannel& pc = pcs_[static_cast<std::size_t>(index)];
  const Geometry& geometry = spec_->geometry;
  const auto in_unit = [&](const Entry& entry) {
    return pc.refresh.covers(unit, entry.at.bank % geometry.banks_per_pseudo_channel());
  };
  return std::none_of(pc.reads.begin(), pc.reads.end(), in_unit) &&
         std::none_of(pc.writes.begin(), pc.writes.end(), in_unit);
}

bool OracleChannel::issue_refresh(Tick now, bool urgent) {
  for (int pc = 0; pc < spec_->geometry.pseudo_channels; ++pc) {
    const RefreshCounter& refresh = pcs_[static_cast<std::size_t>(pc)].refresh;
    for (int unit = 0; unit < refresh.units(); ++unit) {
      if (!refresh.owes(unit) || refresh.urgent(unit) != urgent) continue;
      if (!urgent && !unit_is_idle(pc, unit)) continue;
      if (refresh_unit(pc, unit, now)) return true;
    }
  }
  return false;
}

// Closes what is open in the unit, then refreshes it; one command, if its time has come.
bool OracleChannel::refresh_unit(int index, int unit, Tick now) {
  const Geometry& geometry = spec_->geometry;
  RefreshCounter& refresh = pcs_[static_cast<std::size_t>(index)].refresh;
  const int bank = index * geometry.banks_per_pseudo_channel() + refresh.first_bank(unit);
  const bool closed = device_.all_closed(geometry.addressed(refresh.refresh(), bank));
  const Command command = closed ? refresh.refresh() : refresh.close();
  if (!device_.ready(command, bank, now)) return false;
  issue_row(command, bank, kClosed, now, false);
  if (closed) refresh.refreshed(unit);
  return true;
}

bool OracleChannel::capped(const Queue& queue, int bank) const {
  const int cap = spec_->config.hit_cap;
  if (cap == 0 || use_[static_cast<std::size_t>(bank)].served < cap) return false;
  const auto oldest = std::find_if(queue.begin(), queue.end(),
                                   [&](const Entry& entry) { return entry.at.bank == bank; });
  return oldest != queue.end() && oldest->at.row != device_.open_row(bank);
}

bool OracleChannel::may_use_open_row(const Queue& queue, const Entry& entry) const {
  return device_.open_row(entry.at.bank) == entry.at.row && !held_by_refresh(entry.at.bank) &&
         !capped(queue, entry.at.bank);
}

std::optional<Command> OracleChannel::row_command_for(const Queue& queue,
                                                      const Entry& entry) const {
  const int bank = entry.at.bank;
  if (held_by_refresh(bank)) return std::nullopt;
  const std::int64_t open = device_.open_row(bank);
  if (open == kClosed) return Command::kAct;
  if (open == entry.at.row) return std::nullopt;
  const bool row_in_use = std::any_of(queue.begin(), queue.end(), [&](const Entry& other) {
    return other.at.bank == bank && other.at.row == open;
  });
  if (row_in_use && !fcfs() && !capped(queue, bank)) return std::nullopt;
  return Command::kPre;
}

bool OracleChannel::issue_for_demand(Tick now) {
  const Entry* oldest = nullptr;
  Command command{};
  for (const PseudoChannel& pc : pcs_) {
    for (const Entry& entry : pc.active()) {
      const std::optional<Command> wanted = row_command_for(pc.active(), entry);
      if (wanted && device_.ready(*wanted, entry.at.bank, now) &&
          !(*wanted == Command::kAct && act_would_delay_refresh(entry.at.bank, now))) {
        if (oldest == nullptr || entry.order < oldest->order) oldest = &entry, command = *wanted;
        break;
      }
      if (fcfs()) break;
    }
  }
  if (oldest == nullptr) return false;
  issue_row(command, oldest->at.bank, oldest->at.row, now, command == Command::kPre);
  return true;
}

bool OracleChannel::issue_timeout(Tick now) {
  if (spec_->config.row_policy != RowPolicy::kTimeout) return false;
  for (int bank = 0; bank < spec_->geometry.total_banks(); ++bank) {
    const std::int64_t row = device_.open_row(bank);
    if (row == kClosed) continue;
    if (use_[static_cast<std::size_t>(bank)].last_use + spec_->row_timeout > now) continue;
    const PseudoChannel& pc = pcs_[static_cast<std::size_t>(pc_of(bank))];
    const auto uses_row = [&](const Entry& entry) {
      return entry.at.bank == bank && entry.at.row == row;
    };
    if (std::any_of(pc.reads.begin(), pc.reads.end(), uses_row) ||
        std::any_of(pc.writes.begin(), pc.writes.end(), uses_row)) {
      continue;
    }
    if (!device_.ready(Command::kPre, bank, now)) continue;
    issue_row(Command::kPre, bank, kClosed, now, false);
    return true;
  }
  return false;
}

// ---- 4. Column commands

bool OracleChannel::wanted_by_others(const PseudoChannel& pc, const Entry& entry) const {
  const auto same_row = [&](const Entry& other) {
    return other.order != entry.order && other.at.bank == entry.at.bank &&
           other.at.row == entry.at.row;
  };
  return std::any_of(pc.reads.begin(), pc.reads.end(), same_row) ||
         std::any_of(pc.writes.begin(), pc.writes.end(), same_row);
}

void OracleChannel::issue_column(Tick now) {
  PseudoChannel* chosen = nullptr;
  Queue::iterator oldest;
  for (PseudoChannel& pc : pcs_) {
    Queue& queue = pc.active();
    const Command command = pc.draining ? Command::kWr : Command::kRd;
    for (auto entry = queue.begin(); entry != queue.end(); ++entry) {
      if (may_use_open_row(queue, *entry) && device_.ready(command, entry->at.bank, now)) {
        if (chosen == nullptr || entry->order < oldest->order) chosen = &pc, oldest = entry;
        break;
      }
      if (fcfs()) break;
    }
  }
  if (chosen == nullptr) return;
  const Entry entry = *oldest;
  const bool write = chosen->draining;
  const bool close =
      spec_->config.row_policy == RowPolicy::kClosed && !wanted_by_others(*chosen, entry);
  const Command command =
      write ? (close ? Command::kWra : Command::kWr) : (close ? Command::kRda : Command::kRd);
  chosen->active().erase(oldest);
  device_.issue(command, entry.at.bank, entry.at.row, now);
  BankUse& use = use_[static_cast<std::size_t>(entry.at.bank)];
  use = {use.served + 1, now};
  ledger_.column_command(command, entry.at, entry.entered, now,
                         intake_.piece(entry.piece).request.traffic, entry.useful_bytes);
  const Tick data = spec_->timing(write ? "tCWL" : "tCL") + spec_->timing("tBURST");
  if (intake_.finish_burst(entry.piece, now + data)) ledger_.completed(intake_.piece(entry.piece));
  if (chosen->reads.empty() && chosen->writes.empty()) {
    ledger_.queue_became(true, pc_of(entry.at.bank), now);
  }
}

}  // namespace ridgepoint::dram
