// SPDX-License-Identifier: Apache-2.0
// When the banks of one pseudo-channel must be refreshed. Counts what is owed; the controller
// decides how to get there. All-bank: every stack id owes one REFab per tREFI. Per-bank: the banks
// take turns, one REFpb per tREFI / banks, in flat order.
#pragma once

#include <vector>

#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

class RefreshCounter {
 public:
  explicit RefreshCounter(const Spec& spec)
      : mode_(spec.config.refresh),
        postpone_(spec.config.refresh_postpone),
        interval_(spec.timing("tREFI")),
        banks_(spec.geometry.banks_per_pseudo_channel()),
        owed_(static_cast<std::size_t>(mode_ == RefreshMode::kPerBank ? 1
                                                                      : spec.geometry.stack_ids)) {
    if (mode_ != RefreshMode::kNone) set_next_due();
  }

  // The tick at which one more becomes due; kNever without refresh.
  Tick next_due() const { return next_due_; }
  void accrue(Tick now) {
    while (next_due_ <= now) {
      for (int& owed : owed_) ++owed;
      set_next_due();
    }
  }

  // Units are stack ids (all-bank), or the one bank whose turn it is (per-bank, unit 0).
  int units() const { return static_cast<int>(owed_.size()); }
  bool owes(int unit) const { return owed_[static_cast<std::size_t>(unit)] > 0; }
  // No more may be postponed: demand to the unit stops until it is refreshed.
  bool urgent(int unit) const { return owed_[static_cast<std::size_t>(unit)] > postpone_; }
  int owed(int unit) const { return owed_[static_cast<std::size_t>(unit)]; }
  int turn() const { return turn_; }  // bank within the pseudo-channel, per-bank mode
  void refreshed(int unit) {
    --owed_[static_cast<std::size_t>(unit)];
    if (mode_ == RefreshMode::kPerBank) turn_ = (turn_ + 1) % banks_;
  }

 private:
  void set_next_due() {
    ++due_;
    next_due_ = mode_ == RefreshMode::kPerBank ? due_ * interval_ / banks_ : due_ * interval_;
  }

  RefreshMode mode_;
  int postpone_;
  Tick interval_;
  int banks_;
  std::vector<int> owed_;
  int turn_ = 0;
  std::int64_t due_ = 0;
  Tick next_due_ = core::kNever;
};

}  // namespace ridgepoint::dram
