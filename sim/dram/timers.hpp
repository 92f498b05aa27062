// SPDX-License-Identifier: Apache-2.0
// The rule table compiled for speed: instead of remembering when commands came (as Device does),
// one register per node and command holds the tick before which that command may not come. Issuing
// a command raises the registers its rules name; a check is a maximum over the five scopes of a
// bank. RDA and WRA share the registers of RD and WR: the same rules hold them back.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/dram/timer_table.hpp"

namespace ridgepoint::dram {

class Timers {
 public:
  explicit Timers(const Spec& spec);
  // As these were at first; what the rules say is shared.
  Timers cleared() const;

  // Registers exist for what a controller of this configuration may ask about: all but RDA and WRA,
  // and of the refreshes and what they need closed only those of its mode.
  static bool answers_for(const Spec& spec, Command command) {
    return TimerTable::answers_for(spec, command);
  }

  void issue(Command command, int bank, Tick tick) {
    const Table::Raises& raises = table_->raises[static_cast<std::size_t>(command)];
    raise(raises, bank, 0, raises.each, tick);
    if (table_->in_window[static_cast<std::size_t>(command)]) slide_windows(command, bank, tick);
  }
  // The two halves of it for RD and WR: registers of banks, bank groups and stack ids, and those of
  // the pseudo-channel and the channel, where the latest of several is as good as all of them.
  void issue_narrow(Command command, int bank, Tick tick) {
    const Table::Raises& raises = table_->raises[static_cast<std::size_t>(command)];
    raise(raises, bank, 0, raises.narrow, tick);
  }
  void issue_wide(Command command, int bank, Tick tick) {
    const Table::Raises& raises = table_->raises[static_cast<std::size_t>(command)];
    raise(raises, bank, raises.narrow, raises.each, tick);
  }

  // Not rounded up to the command's grid.
  Tick earliest(Command command, int bank) const {
    if (Table::is_folded(command)) return std::max(wide(command, bank), of_banks(command)[bank]);
    if (addresses_same_bank(command)) return earliest_of_same_bank(command, bank);
    return std::max(wide(command, bank), narrow(command)(bank));
  }
  // The two halves of earliest(): what all banks of a pseudo-channel share, and the rest.
  Tick wide(Command command, int bank) const {
    return std::max(at(Scope::kPseudoChannel, command, bank), at(Scope::kChannel, command, bank));
  }
  // The rest for ACT or PRE, which are looked up for many banks at a time: by bank.
  const Tick* of_banks(Command command) const { return registers(Scope::kBank, command); }
  // And for others.
  class Narrow {
   public:
    Tick operator()(int bank) const {
      return std::max(std::max(bank_[bank], group_[bank >> group_shift_]),
                      stack_id_[bank >> stack_id_shift_]);
    }

   private:
    friend class Timers;
    const Tick* bank_;
    const Tick* group_;
    const Tick* stack_id_;
    int group_shift_, stack_id_shift_;
  };
  Narrow narrow(Command command) const {
    Narrow result;
    result.bank_ = registers(Scope::kBank, command);
    result.group_ = registers(Scope::kBankGroup, command);
    result.stack_id_ = registers(Scope::kStackId, command);
    result.group_shift_ = table_->shift[static_cast<std::size_t>(Scope::kBankGroup)];
    result.stack_id_shift_ = table_->shift[static_cast<std::size_t>(Scope::kStackId)];
    return result;
  }
  // One scope's share.
  Tick at(Scope scope, Command command, int bank) const {
    return registers(scope, command)[bank >> table_->shift[static_cast<std::size_t>(scope)]];
  }

  // What one command of `from` holds back one of `to` by, in the same node of `scope` (0: a wider
  // scope says as much), and in the nodes beside it.
  Tick spacing(Scope scope, Command from, Command to) const;
  Tick sibling_spacing(Scope scope, Command from, Command to) const;

 private:
  using Table = TimerTable;
  explicit Timers(std::shared_ptr<const Table> table);

  void raise(const Table::Raises& raises, int bank, int first, int end, Tick tick) {
    const Table::Raise* const of_bank = raises.of_banks.data() + bank * raises.each;
    Tick* const ready = ready_.data();
#pragma GCC unroll 4
    for (int i = first; i < end; ++i) {
      Tick& at = ready[of_bank[i].at];
      at = std::max(at, tick + of_bank[i].ticks);
    }
  }
  void slide_windows(Command command, int bank, Tick tick);
  Tick earliest_of_same_bank(Command command, int bank) const;
  const Tick* registers(Scope scope, Command command) const {
    return ready_.data() +
           table_->first[static_cast<std::size_t>(scope)][static_cast<std::size_t>(command)];
  }

  std::shared_ptr<const Table> table_;
  std::vector<Tick> ready_;
  std::vector<Table::Window> windows_;
};

inline void Timers::slide_windows(Command command, int bank, Tick tick) {
  for (Table::Window& window : windows_) {
    if (!window.from.contains(command)) continue;
    const auto node = static_cast<std::size_t>(bank >> window.shift);
    Tick* const latest = window.latest.data() + node * window.commands;
    std::size_t& next = window.next[node];
    latest[next] = tick;
    next = next + 1 == window.commands ? 0 : next + 1;
    for (const std::uint32_t to : window.to) {
      Tick& ready = ready_[to + node];
      ready = std::max(ready, latest[next] + window.ticks);
    }
  }
}

}  // namespace ridgepoint::dram
