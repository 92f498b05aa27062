// SPDX-License-Identifier: Apache-2.0
// The plain controller: every tick, look at every queued request, in order of age, and ask the
// device. It is the definition of what the fast controllers must reproduce, so it is written to be
// read. One tick is, in this order:
//   1. bursts that have arrived enter the queues while there is room, in order;
//   2. each pseudo-channel chooses its direction (reads, or draining writes);
//   3. at most one row command: an urgent refresh, else for the oldest request that can use one,
//      else an optional refresh, else a row that has timed out; an ACT that would push back an
//      urgent same-bank refresh waits for it, or ACTs to other banks could hold it back for ever;
//   4. at most one column command: the oldest request whose row is open and whose time has come.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/dram/channel_base.hpp"
#include "sim/dram/device.hpp"
#include "sim/dram/refresh.hpp"

namespace ridgepoint::dram {

class OracleChannel final : public ChannelBase {
 public:
  explicit OracleChannel(std::shared_ptr<const Spec> spec);

  std::unique_ptr<Channel> another() const override {
    return std::make_unique<OracleChannel>(spec_);
  }

 private:
  struct Entry {
    DramAddress at;
    int piece;
    std::int64_t useful_bytes;
    Tick entered;
    std::uint64_t order;  // of entering, over the channel
  };
  using Queue = std::vector<Entry>;  // oldest first
  struct PseudoChannel {
    Queue reads, writes;
    bool draining = false;  // serving writes
    RefreshCounter refresh;
    Queue& active() { return draining ? writes : reads; }
    const Queue& active() const { return draining ? writes : reads; }
  };
  struct BankUse {
    int served = 0;     // bursts since ACT
    Tick last_use = 0;  // last ACT or column command
  };

  void run(Tick from, Tick to) override;
  void tick(Tick now);

  void feed(Tick now);
  bool enter(PieceState& piece, Tick now);
  void choose_direction(PseudoChannel& pc) const;

  bool issue_refresh(Tick now, bool urgent);
  bool refresh_unit(int pc, int unit, Tick now);
  bool issue_for_demand(Tick now);
  bool issue_timeout(Tick now);
  void issue_column(Tick now);

  // The command that `entry` needs next, if it may have one.
  std::optional<Command> row_command_for(const Queue& queue, const Entry& entry) const;
  bool may_use_open_row(const Queue& queue, const Entry& entry) const;
  bool capped(const Queue& queue, int bank) const;
  bool held_by_refresh(int bank) const;
  bool act_would_delay_refresh(int bank, Tick now) const;
  bool wanted_by_others(const PseudoChannel& pc, const Entry& entry) const;
  bool unit_is_idle(int pc, int unit) const;

  void issue_row(Command command, int bank, std::int64_t row, Tick now, bool for_other_row);
  bool fcfs() const { return spec_->config.scheduler == SchedulerKind::kFcfs; }
  int pc_of(int bank) const { return spec_->geometry.node_of(Scope::kPseudoChannel, bank); }

  Device device_;
  std::vector<PseudoChannel> pcs_;
  std::vector<BankUse> use_;
  std::uint64_t entered_ = 0;
};

}  // namespace ridgepoint::dram
