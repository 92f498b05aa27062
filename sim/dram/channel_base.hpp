// SPDX-License-Identifier: Apache-2.0
// What all controllers share: the MemoryPort contract around run(from, to).
#pragma once

#include <memory>
#include <utility>

#include "sim/dram/address_map.hpp"
#include "sim/dram/channel.hpp"
#include "sim/dram/intake.hpp"
#include "sim/dram/ledger.hpp"

namespace ridgepoint::dram {

class ChannelBase : public Channel {
 public:
  explicit ChannelBase(std::shared_ptr<const Spec> spec)
      : spec_(std::move(spec)),
        map_(*spec_->map),
        intake_(*spec_),
        ledger_(*spec_),
        slot_(spec_->timing("tBURST")) {}

  void submit(const core::MemoryRequest& request) override { intake_.submit(request, until_); }
  void advance(core::Femtoseconds until) override;
  void run_ahead(core::Femtoseconds until) override;
  core::Femtoseconds next_event() const override;
  void take_admitted(std::vector<core::MemoryEvent>& out) override { intake_.take_admitted(out); }
  void take_completed(std::vector<core::MemoryEvent>& out) override {
    intake_.take_completed(out, known_until_);
  }
  ChannelStats stats() const override { return ledger_.snapshot(now_); }
  void observe(CommandObserver observer) override { ledger_.observe(std::move(observer)); }
  const Spec& spec() const override { return *spec_; }

 protected:
  // Simulates ticks from..to-1.
  virtual void run(Tick from, Tick to) = 0;
  // So many bursts may enter the queues without a column command; nothing to run ahead by if < 0.
  virtual int room() const { return -1; }
  // A tick before which nothing changes without a new request; only asked when work is in flight.
  virtual Tick next_tick() const { return now_; }

  std::shared_ptr<const Spec> spec_;
  const AddressMap& map_;
  Intake intake_;
  Ledger ledger_;
  Tick now_ = 0;  // the first tick not yet simulated

 private:
  Tick sheltered() const;

  Tick slot_;                           // of the data bus
  core::Femtoseconds until_ = 0;        // requests arrive from here on
  core::Femtoseconds known_until_ = 0;  // completions are known up to here
};

}  // namespace ridgepoint::dram
