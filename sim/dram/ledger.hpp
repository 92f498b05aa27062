// SPDX-License-Identifier: Apache-2.0
// Turns the commands of a channel into its statistics and its trace. Every controller reports here,
// so that two controllers with the same commands have the same statistics.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/dram/address_map.hpp"
#include "sim/dram/channel.hpp"
#include "sim/dram/intake.hpp"

namespace ridgepoint::dram {

class Ledger {
 public:
  explicit Ledger(const Spec& spec);

  void observe(CommandObserver observer) { observer_ = std::move(observer); }

  // ACT and all kinds of PRE and REF. `for_other_row`: a PRE that a request to another row asked
  // for.
  void row_command(Command command, int bank, std::int64_t row, Tick tick, bool for_other_row);
  // RD, WR, RDA, WRA of one burst that entered the queue at `entered`.
  void column_command(Command command, const DramAddress& at, Tick entered, Tick tick,
                      core::Traffic traffic, std::int64_t useful_bytes);
  // `ticks`: the sum over the bursts of when they entered.
  void entered(int bursts, Tick ticks) {
    queued_bursts_ += bursts;
    stats_.queue_wait_ticks -= ticks;
  }
  void forwarded(core::Traffic traffic, std::int64_t useful_bytes);
  void completed(const PieceState& piece);
  // A pseudo-channel's queues got their first entry, or lost their last one.
  void queue_became(bool empty, int pc, Tick tick);

  ChannelStats snapshot(Tick now) const;

  // ---- For a controller that counts a stretch of read bursts itself: bursts that followed each
  // other without a gap on the data bus.
  struct Stretch {
    Tick ticks = 0;           // sum over the bursts of when their column commands came
    Tick last = 0;            // the last of them
    std::int32_t firsts = 0;  // that count_first() was told of
    std::array<std::int32_t, core::kTrafficKinds> bursts{};  // whole ones, by traffic
  };
  void columns(int pc, const Stretch& stretch);
  void bank_columns(int bank, int bursts, Tick last) {
    stats_.bank_bursts[static_cast<std::size_t>(bank)] += bursts;
    Tick& group = group_column_[static_cast<std::size_t>(bank >> group_shift_)];
    group = std::max(group, last);
  }
  // The bank's next burst is the first of its row; counts it as such.
  void count_first(int bank) { count_row_state(banks_[static_cast<std::size_t>(bank)]); }
  bool first_of_row(int bank) const {
    return banks_[static_cast<std::size_t>(bank)].fresh != Fresh::kNo;
  }
  // When the data bus is busy or accounted for until.
  Tick slot_end(int pc) const { return pcs_[static_cast<std::size_t>(pc)].slot_end; }
  bool observed() const { return static_cast<bool>(observer_); }
  void trace(Command command, const DramAddress& at, Tick tick);
  // Between the two, commands may come out of their order; the observer gets them afterwards.
  void hold_trace() { holds_ = observed(); }
  void release_trace();

 private:
  enum class Fresh : std::uint8_t { kNo, kMiss, kConflict };
  struct BankState {
    Tick refreshed = kNoTick;   // end of its last refresh
    Tick precharged = kNoTick;  // when its last precharge allows ACT
    Tick activated = kNoTick;
    Tick act_ready = kNoTick;  // when the bank itself was ready for that ACT
    bool conflict = false;     // closed for another row's sake since
    Fresh fresh = Fresh::kNo;  // the next burst is the first after ACT
  };
  struct PcState {
    Tick slot_end = 0;  // busy or accounted for up to here
    Tick last_column = kNoTick;
    bool last_was_write = false;
    bool queued = false;
    Tick queued_since = 0;
  };
  static constexpr Tick kNoTick = -(Tick{1} << 60);

  void account_gap(const BankState& bank, PcState& pc, int group, bool write, Tick entered,
                   Tick tick);
  void count_row_state(BankState& bank);
  void activated(std::size_t bank, Tick tick);
  void many_banks(Command command, int bank, Tick tick);

  const Spec* spec_;
  int pc_shift_, group_shift_;
  Tick tRCDRD_, tRCDWR_, tRC_, tRP_, tRFC_, tRFCpb_, tRFCsb_, tCCD_L_, tBURST_, tRTW_,
      write_to_read_, read_to_precharge_, write_to_precharge_;
  ChannelStats stats_;
  std::vector<BankState> banks_;
  std::vector<PcState> pcs_;
  std::vector<Tick> group_column_;  // last column command per bank group
  std::int64_t queued_bursts_ = 0;
  CommandObserver observer_;
  bool holds_ = false;
  std::vector<IssuedCommand> held_;
};

inline void Ledger::row_command(Command command, int bank, std::int64_t row, Tick tick,
                                bool for_other_row) {
  ++stats_.commands[static_cast<std::size_t>(command)];
  if (command == Command::kAct) {
    activated(static_cast<std::size_t>(bank), tick);
  } else if (command == Command::kPre) {
    BankState& state = banks_[static_cast<std::size_t>(bank)];
    state.precharged = tick + tRP_;
    state.conflict = for_other_row;
  } else {
    many_banks(command, bank, tick);
  }
  if (observer_) trace(command, {bank, command == Command::kAct ? row : -1, -1}, tick);
}

inline void Ledger::activated(std::size_t bank, Tick tick) {
  BankState& state = banks_[bank];
  state.act_ready = std::max({state.precharged, state.activated + tRC_, state.refreshed});
  state.activated = tick;
  state.fresh = state.conflict ? Fresh::kConflict : Fresh::kMiss;
  state.conflict = false;
  ++stats_.bank_activations[bank];
}

}  // namespace ridgepoint::dram
