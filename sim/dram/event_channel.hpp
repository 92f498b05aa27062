// SPDX-License-Identifier: Apache-2.0
// The oracle's behaviour, computed only at the ticks where something can happen. Requests are kept
// as runs per bank, rules as registers, and each pseudo-channel knows its next row command and a
// tick before which it cannot have a column command. Both may be early (a look is wasted) but never
// late; everything that could make a command possible is compared with them. Stretches of reads,
// the bulk of an accelerator's traffic, take a short way with the same outcome (event_stream.cpp)
// unless the controller is asked to be merely event-driven.
#pragma once

#include <memory>
#include <vector>

#include "sim/dram/channel_base.hpp"
#include "sim/dram/event_state.hpp"
#include "sim/dram/timers.hpp"

namespace ridgepoint::dram {

class EventChannel final : public ChannelBase {
 public:
  explicit EventChannel(std::shared_ptr<const Spec> spec);
  std::unique_ptr<Channel> another() const override {
    return std::unique_ptr<Channel>(new EventChannel(spec_, timers_.cleared()));
  }

 private:
  EventChannel(std::shared_ptr<const Spec> spec, Timers timers);

  using PseudoChannel = event::PseudoChannel;
  using BankUse = event::BankUse;
  using Incoming = event::Incoming;
  using Entrance = event::Entrance;
  using Candidate = event::Candidate;
  static constexpr std::size_t kLanes = 2;
  struct Server;
  struct Contender;
  struct Lane;  // a pseudo-channel in a stretch of reads
  struct Places;

  void run(Tick from, Tick to) override;
  Tick next_tick() const override;
  int room() const override;
  void start_tick(Tick now);
  void feed(Tick now);
  bool open_run(Tick now);
  bool open_request(Tick now);
  void begin_cycle(std::int64_t burst);
  int quiet_bursts(int most, bool& begins);
  void find_entrance(Entrance& entrance, std::int64_t burst);
  bool enter_run(int most, Tick now);
  void begin_visit(BankQueues& queue, Tick now);
  void enter_checked(Tick now);
  void choose_direction(PseudoChannel& pc, Tick now);

  // Each issues at most one command that may start at `now`.
  void row_phase(Tick now);
  bool issue_refresh(Tick now, bool urgent);
  bool issue_demand(Tick now);
  bool issue_timeout(Tick now);
  bool try_refresh(PseudoChannel& pc, Tick now, bool urgent);
  bool try_timeout(PseudoChannel& pc, Tick now);
  bool stands(PseudoChannel& pc, Command command, Tick now) const;
  void plan_row(PseudoChannel& pc, Command command, Tick from);
  void add_row(PseudoChannel& pc, int bank, Tick from);
  void issue_row(PseudoChannel& pc, Command command, int bank, std::int64_t row, Tick now,
                 bool for_other_row);
  void close(PseudoChannel& pc, std::uint64_t banks);
  void update_held(PseudoChannel& pc, Tick from);
  std::uint64_t acts_behind_refresh(const PseudoChannel& pc, Tick now) const;

  bool column_phase(Tick now);
  Tick column_gate(const PseudoChannel& pc, Tick now) const;
  void find_column(PseudoChannel& pc, Tick now, Candidate& best);
  void issue_column(PseudoChannel& pc, int flat_bank, Tick now);
  void visit_left(PseudoChannel& pc, bool write, int flat_bank, Tick data_end);
  std::int64_t useful_bytes(const BankQueues::Visit& visit, int flat_bank) const;

  // The short way for reads; see event_stream.cpp.
  bool may_stream() const;
  bool can_stream() const;
  static bool about_to_drain(const PseudoChannel& pc);
  Tick stream(Tick from, Tick to);
  bool stream_event(Lane* lanes, Tick& now, Tick to);
  bool stream_start(Tick now);
  Tick next_look() const;
  Tick next_row() const {
    Tick next = core::kNever;
    for (const PseudoChannel& pc : pcs_) next = std::min(next, pc.row_at());
    return next;
  }
  bool make_room(const Lane& lane, Tick now, Tick to);
  bool renew(Lane& lane, Tick now);
  void absorb(Lane& lane, Tick now);
  bool gather(Lane& lane, Tick now);
  void await(Lane& lane, const Contender& contender) const;
  bool goes_on(Lane& lane, Tick now, bool takes_turns = true);
  void give_way(Lane& lane, Tick now);
  void prepare(Lane& lane, Tick from);
  void find_ready(Lane& lane, Tick soon);
  void choose(Lane& lane, Tick now);
  void choose_among(Lane& lane, Tick now);
  Tick within_reach(const Lane& lane, const Contender& contender) const;
  bool elsewhere(const Lane& lane, int bank) const;
  bool succeed(Lane& lane);
  void find_rivals(Lane& lane) const;
  void add_rival(Lane& lane, const Contender& rival) const;
  void appoint(Lane& lane, int i, int bank) const;
  void look_up(const Lane& lane, Server& server) const;
  void plan(Lane& lane, Tick from) const;
  void issue(Lane& lane);
  void trace_read(const Server& server, Tick now);
  void burst_left(Lane& lane, Server& server, Tick now);
  void server_left(Lane& lane, Server& server, Tick now);
  bool alternates(const Lane& lane) const;
  bool in_time(const Lane& lane) const;
  bool take_turns(Lane& lane, Lane* other, Tick to);
  bool take_turn(Lane& lane);
  void count_first(Lane& lane, Server& server);
  static std::uint64_t turn_limit(const Lane& lane, int server);
  static bool ends_soon(const Lane& lane);
  int rounds_ahead(const Lane& lane, const Lane* other, Tick limit, Tick row);
  bool waits_for_row(const Lane& lane, int rounds) const;
  static int rounds_of(const Lane& lane, int rounds);
  void take_rounds(Lane& lane, Lane* other, int rounds);
  void take_rounds(Lane& lane, int rounds);
  void fill_up(const Lane& lane, Tick first, int rounds, const Lane* other, Tick other_first);
  void trace_rounds(const Lane& lane, const Lane* other, int rounds);
  void turns_taken(Lane& lane) const;
  void settle(Server& server);
  void flush(Lane& lane);
  Tick read_spacing(int a, int b) const;

  // Bursts of the bank's open row have been served.
  void served(PseudoChannel& pc, int flat_bank, int bursts) {
    int& so_far = use(flat_bank).served;
    const bool before = so_far < spec_->config.hit_cap;
    so_far += bursts;
    if (before && so_far >= spec_->config.hit_cap) {
      pc.spent |= std::uint64_t{1} << (flat_bank & bank_mask_);
    }
  }
  // A bank's row goes on being served while an older request waits for another one: then the hit
  // cap decides, which is not for the short way.
  void pass_over(const BankQueues& queue, int bank) {
    passed_over_ = passed_over_ || (spec_->config.hit_cap != 0 && queue.passes_over(bank));
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
  int group_shift_, stack_id_shift_;
  Tick tBURST_, tRCDRD_;
  Tick data_end_[2];  // after a column command: read, write
  bool fcfs_, plans_last_, siblings_;
  bool stack_ids_apart_;  // a read of another stack id is held back for longer than a burst
  bool optional_rows_;  // time-outs or postponed refreshes: row commands without demand
  bool streams_;        // the configuration admits the short way
  bool takes_turns_;    // and two bank groups fill the data bus
  event::Trial trial_;
  bool passed_over_ = false;
  bool reads_only_ = false;  // on the short way: a write does not enter, and ends it
  event::ReadSpacing spacing_{};
};

}  // namespace ridgepoint::dram
