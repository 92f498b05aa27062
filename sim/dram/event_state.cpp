// SPDX-License-Identifier: Apache-2.0
// The event-driven controller's state as a name: a string of words that is equal for two moments
// exactly when the same requests from then on lead to the same commands, shifted in time, in bank
// and in row. Between chunks, reads only, with no refresh owed.
#include <algorithm>
#include <bit>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {
namespace {

// One queued burst: chunk by age, offset in it, bank, its row (its place among the bank's recent
// rows, and whether it is open), and the ticks it has waited (up to where it matters).
constexpr std::uint64_t pack(std::uint64_t age, std::uint64_t offset, std::uint64_t bank,
                             std::uint64_t row, std::uint64_t waited) {
  return age << 48 | offset << 40 | bank << 32 | row << 28 | waited;
}
constexpr std::uint64_t kMaxWaited = (1U << 28) - 1;

}  // namespace

bool EventChannel::save(Tick now, std::vector<std::uint64_t>& out) {
  if (!ledger_.can_save() || chunk_to_enter_ != 0 || chunks_.size() > 200) return false;
  for (const PseudoChannel& pc : pcs_) {
    if (!pc.queues[1].empty() || pc.draining || pc.held != 0) return false;
    for (int unit = 0; unit < pc.refresh.units(); ++unit) {
      if (pc.refresh.owes(unit)) return false;
    }
  }
  out.push_back(static_cast<std::uint64_t>(now) & 7);  // every command grid divides 8
  timers_.save(now, origin_, out);
  if (!save_queues(now, out)) return false;
  ledger_.save(now, origin_, queued_scratch_, out);
  return true;
}

bool EventChannel::save_queues(Tick now, std::vector<std::uint64_t>& out) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;  // order, packed
  queued_scratch_.assign(use_.size(), false);
  bool nameable = true;
  for (const PseudoChannel& pc : pcs_) {
    pc.queues[0].for_each([&](int local, const BankQueues::Entry& entry) {
      const int bank = pc.first_bank + local;
      queued_scratch_[static_cast<std::size_t>(bank)] = true;
      const auto& recent = use(bank).recent;
      const auto row = std::find(recent.begin(), recent.end(), entry.row) - recent.begin();
      const std::uint32_t index = entry.chunk - first_chunk_;
      std::uint64_t age = 0;  // among the chunks with bursts left
      for (std::uint32_t older = 0; older < index; ++older) age += chunks_[older].left > 0;
      const std::int64_t offset = entry.burst - chunks_[index].first_burst;
      const auto waited =
          static_cast<std::uint64_t>(now - ledger_.relevant_entry(bank, entry.entered));
      nameable = nameable && row < 4 && waited <= kMaxWaited &&
                 entry.useful_bytes == spec_->geometry.burst_bytes;
      entries.emplace_back(
          entry.order,
          pack(age, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bank ^ origin_),
               static_cast<std::uint64_t>(row) | (use(bank).open_row == entry.row ? 4U : 0U),
               waited));
    });
  }
  if (!nameable) return false;
  std::sort(entries.begin(), entries.end());
  out.push_back(entries.size());
  for (const auto& [order, packed] : entries) out.push_back(packed);
  // Whether a row is open, where that could matter before a new request asks about it.
  for (int name = 0; name < spec_->geometry.total_banks(); ++name) {
    const int bank = name ^ origin_;
    if (!queued_scratch_[static_cast<std::size_t>(bank)] && !timers_.bank_busy(bank, now)) continue;
    out.push_back(static_cast<std::uint64_t>(name) << 1 |
                  (use(bank).open_row == kClosed ? 0U : 1U));
  }
  out.push_back(~std::uint64_t{0});
  return true;
}

// `in_flight`: the chunks with bursts left, oldest first. The banks' rows are already actual.
void EventChannel::load(Tick now, const std::vector<std::uint64_t>& name,
                        const std::vector<Chunk>& in_flight) {
  const std::uint64_t* in = name.data() + 1;
  timers_.load(now, origin_, in);
  chunks_.assign(in_flight.begin(), in_flight.end());
  for (Chunk& chunk : chunks_) chunk.left = 0;
  for (PseudoChannel& pc : pcs_) {
    for (BankQueues& queue : pc.queues) queue.clear();
    pc.open = 0;
    for (int bank = 0; bank <= bank_mask_; ++bank) {
      if (use(pc.first_bank + bank).open_row != kClosed) pc.open |= std::uint64_t{1} << bank;
    }
    pc.draining = false;
    pc.row_at = pc.column_at = now;
    update_held(pc);
  }
  for (std::uint64_t left = *in++; left > 0; --left) {
    const std::uint64_t packed = *in++;
    const auto age = static_cast<std::uint32_t>(packed >> 48);
    Chunk& chunk = chunks_[age];
    ++chunk.left;
    const std::int64_t burst = chunk.first_burst + static_cast<std::int64_t>(packed >> 40 & 0xff);
    const DramAddress at = map_.decode(burst);
    pc_of(at.bank).queues[0].push(
        at.bank & bank_mask_,
        {at.row, entered_++, now - static_cast<Tick>(packed & kMaxWaited), burst, chunk.piece,
         spec_->geometry.burst_bytes, first_chunk_ + age, static_cast<std::uint16_t>(at.column), 0},
        use(at.bank).open_row);
  }
  while (*in++ != ~std::uint64_t{0}) {
  }
  ledger_.load(now, origin_, in);
  chunk_to_enter_ = 0;
  start_at_ = now;
}

}  // namespace ridgepoint::dram
