// SPDX-License-Identifier: Apache-2.0
// When the banks of one pseudo-channel must be refreshed. Counts what is owed; the controller
// decides how to get there. Every stack id (or rank) counts for itself. All-bank: it owes one REFab
// per tREFI, all stack ids together. Per-bank: its banks take turns, one REFpb per tREFI / banks,
// in flat order. Same-bank: one REFsb per tREFI2 / banks of a group. In both, the stack ids are due
// one after the other, evenly spread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

class RefreshCounter {
 public:
  explicit RefreshCounter(const Spec& spec)
      : together_(spec.config.refresh == RefreshMode::kAllBank),
        postpone_(spec.config.refresh_postpone),
        same_bank_(spec.config.refresh == RefreshMode::kSameBank),
        round_(spec.timing(same_bank_ ? "tREFI2" : "tREFI")),
        turns_(together_    ? 1
               : same_bank_ ? spec.geometry.banks
                            : spec.geometry.banks_per_stack_id()),
        banks_per_unit_(spec.geometry.banks_per_stack_id()),
        addressed_(mask_of(spec.geometry.addressed(refresh(), 0))),
        units_(static_cast<std::size_t>(spec.geometry.stack_ids)) {
    if (spec.config.refresh != RefreshMode::kNone) set_next_due();
  }

  // The tick at which one more becomes due; kNever without refresh.
  Tick next_due() const { return next_due_; }
  void accrue(Tick now) {
    while (next_due_ <= now) {
      if (together_) {
        for (Unit& unit : units_) ++unit.owed;
        owed_ += units();
      } else {
        ++units_[static_cast<std::size_t>(due_ - 1) % units_.size()].owed;
        ++owed_;
      }
      set_next_due();
    }
  }

  // Units are stack ids.
  int units() const { return static_cast<int>(units_.size()); }
  bool owes() const { return owed_ > 0; }
  bool owes(int unit) const { return of(unit).owed > 0; }
  // No more may be postponed: demand to the banks stops until they are refreshed.
  bool urgent(int unit) const { return of(unit).owed > postpone_; }
  // Whether a unit's next refresh is urgent as soon as this one has come.
  bool behind() const {
    return std::any_of(units_.begin(), units_.end(),
                       [this](const Unit& unit) { return unit.owed > postpone_ + 1; });
  }
  // The banks of the pseudo-channel that the unit's next refresh addresses, and the first of them.
  std::uint64_t banks(int unit) const { return addressed_ << first_bank(unit); }
  int first_bank(int unit) const { return unit * banks_per_unit_ + of(unit).turn; }
  bool covers(int unit, int bank) const { return (banks(unit) >> bank & 1) != 0; }
  // The command, and the one that closes the banks for it.
  Command refresh() const {
    return together_ ? Command::kRefAb : same_bank_ ? Command::kRefSb : Command::kRefPb;
  }
  Command close() const {
    return together_ ? Command::kPreAb : same_bank_ ? Command::kPreSb : Command::kPre;
  }
  void refreshed(int index) {
    Unit& unit = units_[static_cast<std::size_t>(index)];
    --unit.owed;
    --owed_;
    unit.turn = (unit.turn + 1) % turns_;
  }

 private:
  struct Unit {
    int owed = 0;
    int turn = 0;  // of the next refresh
  };
  static std::uint64_t mask_of(const BankSet& set) {
    std::uint64_t mask = 0;
    for (int n = 0; n < set.count; ++n) mask |= std::uint64_t{1} << (set.first + n * set.stride);
    return mask;
  }
  const Unit& of(int unit) const { return units_[static_cast<std::size_t>(unit)]; }
  void set_next_due() {
    ++due_;
    const auto in_round =
        together_ ? std::int64_t{1} : turns_ * static_cast<std::int64_t>(units_.size());
    next_due_ = due_ * round_ / in_round;
  }

  bool together_;
  int postpone_;
  bool same_bank_;
  Tick round_;  // every bank once
  int turns_;   // refreshes of one unit in a round
  int banks_per_unit_;
  std::uint64_t addressed_;  // by a refresh of bank 0
  std::vector<Unit> units_;
  int owed_ = 0;  // by all of them
  std::int64_t due_ = 0;
  Tick next_due_ = core::kNever;
};

}  // namespace ridgepoint::dram
