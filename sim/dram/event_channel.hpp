// SPDX-License-Identifier: Apache-2.0
// The oracle's behaviour, computed only at the ticks where something can happen. Requests are kept
// as runs per bank, rules as registers, and each pseudo-channel knows its next row command and a
// tick before which it cannot have a column command. Both may be early (a look is wasted) but never
// late; everything that could make a command possible is compared with them.
#pragma once

#include <memory>
#include <vector>

#include "sim/dram/channel_base.hpp"
#include "sim/dram/event_state.hpp"
#include "sim/dram/timers.hpp"

namespace ridgepoint::dram {

class EventChannel : public ChannelBase {
 public:
  explicit EventChannel(std::shared_ptr<const Spec> spec);
  std::unique_ptr<Channel> another() const override {
    return std::unique_ptr<Channel>(new EventChannel(spec_, timers_.cleared()));
  }

 protected:
  EventChannel(std::shared_ptr<const Spec> spec, Timers timers);

  using PseudoChannel = event::PseudoChannel;
  using BankUse = event::BankUse;
  using Incoming = event::Incoming;
  using Entrance = event::Entrance;
  using Candidate = event::Candidate;

  void run(Tick from, Tick to) final;
  // Runs from `from` to the tick that it returns, or not at all; called if shortcuts_ and no
  // pause_.
  virtual Tick shortcut(Tick from, Tick /*to*/) { return from; }
  Tick next_tick() const final;
  int room() const final;
  void start_tick(Tick now);
  void feed(Tick now);
  bool open_run(Tick now);
  bool open_request(Tick now);
  void begin_cycle(std::int64_t burst);
  void find_entrance(Entrance& entrance, std::int64_t burst);
  bool enter_run(int most, Tick now);
  void begin_visit(BankQueues& queue, Tick now);
  void enter_checked(Tick now);
  void refreshes_due(PseudoChannel& pc, Tick now);
  void choose_direction(PseudoChannel& pc, Tick now);

  // Each issues at most one command that may start at `now`.
  void row_phase(Tick now);
  bool issue_refresh(Tick now, bool urgent);
  bool issue_demand(Tick now);
  bool issue_timeout(Tick now);
  bool try_refresh(PseudoChannel& pc, Tick now, bool urgent);
  bool try_timeout(PseudoChannel& pc, Tick now);
  bool stands(const PseudoChannel& pc, const event::Plan& plan, Command command, Tick now) const;
  void opened_row_closes(PseudoChannel& pc, int bank);
  void plan_row(PseudoChannel& pc, Command command, Tick from);
  void add_row(PseudoChannel& pc, int bank, Tick from);
  void begin_row_command(Command command, int bank, std::int64_t row, Tick now, bool for_other_row);
  void end_row_command(PseudoChannel& pc, Tick now) const;
  void activate(PseudoChannel& pc, int bank, std::int64_t row, Tick now);
  void precharge(PseudoChannel& pc, int bank, Tick now, bool for_other_row);
  void refresh(PseudoChannel& pc, Command command, int bank, Tick now);
  void close(PseudoChannel& pc, std::uint64_t banks);
  void update_held(PseudoChannel& pc, Tick from);
  std::uint64_t acts_behind_refresh(const PseudoChannel& pc, Tick now) const;

  bool column_phase(Tick now);
  Tick column_gate(const PseudoChannel& pc, Tick now) const;
  void find_column(PseudoChannel& pc, Tick now, Candidate& best);
  void issue_column(PseudoChannel& pc, int flat_bank, Tick now);
  void visit_left(PseudoChannel& pc, bool write, int flat_bank, Tick data_end);
  std::int64_t useful_bytes(const BankQueues::Visit& visit, int flat_bank) const;

  Tick next_row() const {
    Tick next = core::kNever;
    for (const PseudoChannel& pc : pcs_) next = std::min(next, pc.row_at());
    return next;
  }

  Tick next_column() const {
    Tick next = core::kNever;
    for (const PseudoChannel& pc : pcs_) next = std::min(next, pc.column_at);
    return next;
  }

  // Bursts of the bank's open row have been served.
  void served(PseudoChannel& pc, int flat_bank, int bursts) {
    int& so_far = use(flat_bank).served;
    const bool before = so_far < spec_->config.hit_cap;
    so_far += bursts;
    if (before && so_far >= spec_->config.hit_cap) {
      pc.spent |= std::uint64_t{1} << (flat_bank & bank_mask_);
    }
  }
  // Whether a bank's row goes on being served while an older request waits for another one: then
  // the hit cap decides, which is not for the short way.
  bool pass_over(const BankQueues& queue, int bank) {
    const bool passes = spec_->config.hit_cap != 0 && queue.passes_over(bank);
    passed_over_ = passed_over_ || passes;
    return passes;
  }
  std::uint64_t only_oldest(const BankQueues& queue, std::uint64_t banks) const;
  std::uint64_t capped(const PseudoChannel& pc, const BankQueues& queue) const;
  // Whether a plan is worth more than a look at its tick.
  bool plans_last(const PseudoChannel& pc) const { return plans_last_ && pc.held == 0; }
  // The first tick from `now` on at which the rules and the command's grid allow it.
  Tick when(Command command, int bank, Tick now) const {
    return spec_->align_up(command, std::max(now, timers_.earliest(command, bank)));
  }
  PseudoChannel& pc_of(int bank) { return pcs_[static_cast<std::size_t>(bank >> pc_shift_)]; }
  BankUse& use(int bank) { return use_[static_cast<std::size_t>(bank)]; }
  const BankUse& use(int bank) const { return use_[static_cast<std::size_t>(bank)]; }

  Timers timers_;
  std::vector<PseudoChannel> pcs_;
  std::vector<BankUse> use_;
  std::uint64_t entered_ = 0;
  Incoming incoming_;
  int run_bursts_, run_shift_, cycle_runs_, cycle_bursts_;  // as the entrances are told apart
  Tick start_at_ = 0;  // the next tick with arrivals, room in a queue, a direction or a refresh due
  int pc_shift_;
  int bank_mask_;
  Tick data_end_[2];  // after a column command: read, write
  bool fcfs_, plans_last_;
  bool optional_rows_;        // time-outs or postponed refreshes: row commands without demand
  bool shortcuts_ = false;    // there is a short way
  int pause_ = 0;             // ticks to look at without trying it
  bool reads_only_ = false;   // on it: a write does not enter, and ends it
  bool passed_over_ = false;  // so does a hit cap that decides
};

}  // namespace ridgepoint::dram
