// SPDX-License-Identifier: Apache-2.0
// What of the ledger's state can still influence the statistics, relative to now. Anything that can
// no longer be the later bound of a gap is left out, so that equal futures have equal states.
#include <algorithm>

#include "sim/dram/ledger.hpp"

namespace ridgepoint::dram {
namespace {

constexpr std::uint64_t kAbsent = 0xffff;
constexpr Tick kBias = 0x4000;  // relative ticks are stored as 16 bits around this

std::uint64_t pack(Tick value, Tick now, bool relevant) {
  return relevant ? static_cast<std::uint64_t>(value - now + kBias) & 0xffff : kAbsent;
}

}  // namespace

bool Ledger::can_save() const {
  return std::none_of(pcs_.begin(), pcs_.end(),
                      [](const PcState& pc) { return pc.last_was_write; });
}

Tick Ledger::relevant_entry(int bank, Tick entered) const {
  const auto pc = static_cast<std::size_t>(spec_->geometry.node_of(Scope::kPseudoChannel, bank));
  return std::max(entered, pcs_[pc].slot_end - tRCDRD_);
}

void Ledger::save(Tick now, int base, const std::vector<bool>& queued,
                  std::vector<std::uint64_t>& out) {
  const Geometry& geometry = spec_->geometry;
  for (int name = 0; name < geometry.pseudo_channels; ++name) {
    const int index = name ^ geometry.node_of(Scope::kPseudoChannel, base);
    PcState& pc = pcs_[static_cast<std::size_t>(index)];
    if (!pc.queued && pc.slot_end < now) {  // idle for certain: may be booked already
      stats_.lost_ticks[static_cast<std::size_t>(Lost::kIdle)] += now - pc.slot_end;
      pc.slot_end = now;
    }
    out.push_back(static_cast<std::uint64_t>(pc.slot_end - now));
    out.push_back(static_cast<std::uint64_t>(std::max<Tick>(0, pc.queued_since - pc.slot_end)));
    out.push_back(
        static_cast<std::uint64_t>(std::max<Tick>(0, pc.last_column + tRTW_ - pc.slot_end)));
    out.push_back(pc.queued ? 1 : 0);
  }
  const auto groups = static_cast<int>(group_column_.size());
  for (int name = 0; name < groups; ++name) {
    const int group = name ^ geometry.node_of(Scope::kBankGroup, base);
    const PcState& pc = pcs_[static_cast<std::size_t>(group * geometry.pseudo_channels / groups)];
    const Tick left = group_column_[static_cast<std::size_t>(group)] + tCCD_L_ - pc.slot_end;
    out.push_back(static_cast<std::uint64_t>(std::max<Tick>(0, left)));
  }
  const std::size_t count_at = out.size();
  out.push_back(0);
  for (int name = 0; name < geometry.total_banks(); ++name) {
    const int index = name ^ base;
    const BankState& bank = banks_[static_cast<std::size_t>(index)];
    const Tick slot_end =
        pcs_[static_cast<std::size_t>(geometry.node_of(Scope::kPseudoChannel, index))].slot_end;
    const bool fresh = bank.fresh != Fresh::kNo;
    const bool waiting = fresh || queued[static_cast<std::size_t>(index)];
    const Tick horizon = waiting ? std::min(now, slot_end - tRCDRD_) : now;
    const std::uint64_t ticks =
        pack(bank.refreshed, now, bank.refreshed + tRCDRD_ > std::min(now, slot_end)) |
        pack(bank.precharged, now, bank.precharged > horizon) << 16 |
        pack(bank.activated, now, fresh || bank.activated + tRC_ > horizon) << 32 |
        pack(bank.act_ready, now, fresh && bank.act_ready > horizon) << 48;
    const auto flags = static_cast<std::uint64_t>(bank.fresh) | (bank.conflict ? 4U : 0U);
    if (ticks == ~std::uint64_t{0} && flags == 0) continue;
    out.push_back(static_cast<std::uint64_t>(name) << 8 | flags);
    out.push_back(ticks);
  }
  out[count_at] = (out.size() - count_at - 1) / 2;
}

void Ledger::load(Tick now, int base, const std::uint64_t*& in) {
  const Geometry& geometry = spec_->geometry;
  for (int name = 0; name < geometry.pseudo_channels; ++name) {
    const int index = name ^ geometry.node_of(Scope::kPseudoChannel, base);
    PcState& pc = pcs_[static_cast<std::size_t>(index)];
    pc.slot_end = now + static_cast<Tick>(*in++);
    pc.queued_since = pc.slot_end + static_cast<Tick>(*in++);
    pc.last_column = pc.slot_end + static_cast<Tick>(*in++) - tRTW_;
    pc.queued = *in++ != 0;
    pc.last_was_write = false;
  }
  const auto groups = static_cast<int>(group_column_.size());
  for (int name = 0; name < groups; ++name) {
    const int group = name ^ geometry.node_of(Scope::kBankGroup, base);
    const PcState& pc = pcs_[static_cast<std::size_t>(group * geometry.pseudo_channels / groups)];
    group_column_[static_cast<std::size_t>(group)] =
        pc.slot_end + static_cast<Tick>(*in++) - tCCD_L_;
  }
  std::fill(banks_.begin(), banks_.end(), BankState{});
  const auto unpack = [&](std::uint64_t value) {
    return value == kAbsent ? kNoTick : now + static_cast<Tick>(value) - kBias;
  };
  for (std::uint64_t left = *in++; left > 0; --left) {
    BankState& bank = banks_[static_cast<std::size_t>(*in >> 8) ^ static_cast<std::size_t>(base)];
    bank.fresh = static_cast<Fresh>(*in & 3);
    bank.conflict = (*in++ & 4) != 0;
    bank.refreshed = unpack(*in & 0xffff);
    bank.precharged = unpack(*in >> 16 & 0xffff);
    bank.activated = unpack(*in >> 32 & 0xffff);
    bank.act_ready = unpack(*in++ >> 48 & 0xffff);
  }
}

}  // namespace ridgepoint::dram
