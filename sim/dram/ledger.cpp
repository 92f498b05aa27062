// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/ledger.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ridgepoint::dram {

Ledger::Ledger(const Spec& spec)
    : spec_(&spec),
      pc_shift_(spec.geometry.node_shift(Scope::kPseudoChannel)),
      group_shift_(spec.geometry.node_shift(Scope::kBankGroup)),
      tRCDRD_(spec.timing("tRCDRD")),
      tRCDWR_(spec.timing("tRCDWR")),
      tRC_(spec.timing("tRC")),
      tRP_(spec.timing("tRP")),
      tRFC_(spec.timing("tRFC")),
      tRFCpb_(spec.standard->per_bank_refresh ? spec.timing("tRFCpb") : 0),
      tRFCsb_(spec.standard->same_bank_refresh ? spec.timing("tRFCsb") : 0),
      tCCD_L_(spec.timing("tCCD_L")),
      tBURST_(spec.timing("tBURST")),
      tRTW_(spec.timing("tRTW")),
      write_to_read_(spec.timing("tCWL") + tBURST_ + spec.timing("tWTR_L")),
      read_to_precharge_(spec.timing("tRTP")),
      write_to_precharge_(spec.timing("tCWL") + tBURST_ + spec.timing("tWR")),
      banks_(static_cast<std::size_t>(spec.geometry.total_banks())),
      pcs_(static_cast<std::size_t>(spec.geometry.pseudo_channels)),
      group_column_(static_cast<std::size_t>(spec.geometry.nodes(Scope::kBankGroup)), kNoTick) {
  stats_.bank_activations.resize(banks_.size());
  stats_.bank_bursts.resize(banks_.size());
}

void Ledger::many_banks(Command command, int bank, Tick tick) {
  const BankSet banks = spec_->geometry.addressed(command, bank);
  for (int n = 0; n < banks.count; ++n) {
    BankState& state = banks_[static_cast<std::size_t>(banks.first + n * banks.stride)];
    switch (command) {
      case Command::kPreAb:
      case Command::kPreSb:
        state.precharged = tick + tRP_;
        break;
      case Command::kRefAb:
        state.refreshed = tick + tRFC_;
        break;
      case Command::kRefSb:
        state.refreshed = tick + tRFCsb_;
        break;
      default:
        state.refreshed = tick + tRFCpb_;
    }
    state.conflict = false;
  }
}

void Ledger::count_row_state(BankState& bank) {
  if (bank.fresh == Fresh::kNo) ++stats_.row_hits;
  if (bank.fresh == Fresh::kMiss) ++stats_.row_misses;
  if (bank.fresh == Fresh::kConflict) ++stats_.row_conflicts;
  bank.fresh = Fresh::kNo;
}

void Ledger::account_gap(const BankState& bank, PcState& pc, int group, bool write, Tick entered,
                         Tick tick) {
  Tick cursor = pc.slot_end;
  const auto book = [&](Lost reason, Tick until) {
    const Tick stop = std::min(until, tick);
    if (stop <= cursor) return;
    stats_.lost_ticks[static_cast<std::size_t>(reason)] += stop - cursor;
    cursor = stop;
  };
  book(Lost::kIdle, pc.queued_since);
  book(Lost::kQueue, entered);
  if (bank.fresh != Fresh::kNo) {
    // The gap is as long as ACT was late, so it is ACT's waiting that is accounted, tRCD later.
    const Tick tRCD = write ? tRCDWR_ : tRCDRD_;
    const Lost row = bank.fresh == Fresh::kConflict ? Lost::kConflict : Lost::kRowMiss;
    book(Lost::kRefresh, bank.refreshed + tRCD);
    book(row, std::max(entered, std::min(bank.act_ready, bank.activated)) + tRCD);
    book(Lost::kActivation, bank.activated + tRCD);
  }
  if (pc.last_was_write != write) {
    book(Lost::kTurnaround, pc.last_column + (write ? tRTW_ : write_to_read_));
  }
  book(Lost::kBankGroup, group_column_[static_cast<std::size_t>(group)] + tCCD_L_);
  book(Lost::kColumn, tick);
}

void Ledger::column_command(Command command, const DramAddress& at, Tick entered, Tick tick,
                            core::Traffic traffic, std::int64_t useful_bytes) {
  const bool write = is_write(command);
  const int group = at.bank >> group_shift_;
  BankState& bank = banks_[static_cast<std::size_t>(at.bank)];
  PcState& pc = pcs_[static_cast<std::size_t>(at.bank >> pc_shift_)];
  if (tick > pc.slot_end) account_gap(bank, pc, group, write, entered, tick);
  count_row_state(bank);
  pc.slot_end = tick + tBURST_;
  pc.last_column = tick;
  pc.last_was_write = write;
  group_column_[static_cast<std::size_t>(group)] = tick;
  if (auto_precharges(command)) {
    bank.precharged = tRP_ + tick + (write ? write_to_precharge_ : read_to_precharge_);
  }
  ++stats_.commands[static_cast<std::size_t>(command)];
  ++stats_.bank_bursts[static_cast<std::size_t>(at.bank)];
  stats_.busy_ticks += tBURST_;
  stats_.queue_wait_ticks += tick;
  --queued_bursts_;
  const auto kind = static_cast<std::size_t>(traffic);
  (write ? stats_.write_pin_bytes : stats_.read_pin_bytes)[kind] += spec_->geometry.burst_bytes;
  (write ? stats_.write_useful_bytes : stats_.read_useful_bytes)[kind] += useful_bytes;
  if (observer_) trace(command, at, tick);
}

void Ledger::columns(int index, const Stretch& stretch) {
  std::int64_t total = 0;
  for (std::size_t kind = 0; kind < core::kTrafficKinds; ++kind) {
    const std::int64_t bytes = std::int64_t{stretch.bursts[kind]} * spec_->geometry.burst_bytes;
    stats_.read_pin_bytes[kind] += bytes;
    stats_.read_useful_bytes[kind] += bytes;
    total += stretch.bursts[kind];
  }
  if (total == 0) return;
  stats_.commands[static_cast<std::size_t>(Command::kRd)] += total;
  stats_.row_hits += total - stretch.firsts;
  stats_.busy_ticks += total * tBURST_;
  stats_.queue_wait_ticks += stretch.ticks;
  queued_bursts_ -= total;
  PcState& pc = pcs_[static_cast<std::size_t>(index)];
  pc.slot_end = stretch.last + tBURST_;
  pc.last_column = stretch.last;
  pc.last_was_write = false;
}

void Ledger::forwarded(core::Traffic traffic, std::int64_t useful_bytes) {
  ++stats_.forwarded_bursts;
  stats_.read_useful_bytes[static_cast<std::size_t>(traffic)] += useful_bytes;
}

void Ledger::completed(const PieceState& piece) {
  const Tick latency = piece.done - piece.arrival;
  ++stats_.pieces;
  stats_.latency_ticks += latency;
  const auto bucket = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(latency)));
  ++stats_.latency_histogram[std::min(bucket == 0 ? 0 : bucket - 1, kLatencyBuckets - 1)];
}

void Ledger::queue_became(bool empty, int pc, Tick tick) {
  PcState& state = pcs_[static_cast<std::size_t>(pc)];
  state.queued = !empty;
  if (!empty) state.queued_since = tick;
}

ChannelStats Ledger::snapshot(Tick now) const {
  ChannelStats stats = stats_;
  stats.total_ticks = now * static_cast<Tick>(pcs_.size());
  stats.queue_wait_ticks += now * queued_bursts_;
  for (const PcState& pc : pcs_) {
    if (pc.slot_end >= now) {  // the last burst's slot reaches past now
      stats.busy_ticks -= pc.slot_end - now;
      continue;
    }
    const Tick idle_end = pc.queued ? std::max(pc.slot_end, std::min(pc.queued_since, now)) : now;
    stats.lost_ticks[static_cast<std::size_t>(Lost::kIdle)] += idle_end - pc.slot_end;
    stats.lost_ticks[static_cast<std::size_t>(Lost::kPending)] += now - idle_end;
  }
  return stats;
}

void Ledger::trace(Command command, const DramAddress& at, Tick tick) {
  const Geometry& geometry = spec_->geometry;
  IssuedCommand issued{.tick = tick, .command = command};
  issued.pc = geometry.node_of(Scope::kPseudoChannel, at.bank);
  issued.sid = geometry.node_of(Scope::kStackId, at.bank) % geometry.stack_ids;
  if (!addresses_stack_id(command)) issued.bank = at.bank % geometry.banks;
  if (!addresses_stack_id(command) && !addresses_same_bank(command)) {
    issued.bg = geometry.node_of(Scope::kBankGroup, at.bank) % geometry.bank_groups;
  }
  issued.row = at.row;
  issued.column = at.column;
  if (holds_) {
    held_.push_back(issued);
  } else {
    observer_(issued);
  }
}

void Ledger::release_trace() {
  if (!holds_) return;
  holds_ = false;
  // Of a tick, the row command is first.
  std::sort(held_.begin(), held_.end(), [](const IssuedCommand& a, const IssuedCommand& b) {
    return std::make_pair(a.tick, is_column(a.command)) <
           std::make_pair(b.tick, is_column(b.command));
  });
  for (const IssuedCommand& issued : held_) observer_(issued);
  held_.clear();
}

}  // namespace ridgepoint::dram
