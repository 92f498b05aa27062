// SPDX-License-Identifier: Apache-2.0
// The event-driven controller with a short way for stretches of reads, the bulk of an accelerator's
// traffic. FR-FCFS then serves, in each pseudo-channel, the two oldest requests of different bank
// groups in turn, until one has no more bursts, an older request's row opens, or time brings
// something else: those few cases end the stretch or start another one. Within it a column command
// costs a comparison and a few additions, or next to nothing where whole rounds of turns are known
// to follow; rule registers and statistics learn of it afterwards, once for the whole stretch.
#pragma once

#include <algorithm>
#include <memory>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {

class FastChannel final : public EventChannel {
 public:
  explicit FastChannel(std::shared_ptr<const Spec> spec);
  ~FastChannel() override;
  std::unique_ptr<Channel> another() const override {
    return std::unique_ptr<Channel>(new FastChannel(spec_, timers_.cleared()));
  }

 private:
  FastChannel(std::shared_ptr<const Spec> spec, Timers timers);

  static constexpr std::size_t kLanes = 2;
  struct Server;
  struct Contender;
  struct Lane;  // a pseudo-channel in a stretch of reads
  struct Turns;
  struct Places;
  struct ReadSpacing {  // RD to RD, in ticks
    Tick self, group, stack_id, other_stack_id, pseudo_channel, channel;
  };

  // Requests to scattered rows give no stretches; then the short way is tried more and more seldom.
  struct Trial {
    int next_pause = 1;   // after the next stretch that is not worth it
    int bursts = 0;       // served in this stretch
    int visits_left = 0;  // and visits that ended with it
  };

  // The stretch, and bursts one by one (fast_channel.cpp).
  bool may_stream() const;
  bool can_stream() const;
  static bool about_to_drain(const PseudoChannel& pc);
  Tick shortcut(Tick from, Tick to) override;
  void begin(Lane& lane, PseudoChannel& pc, Tick from);
  bool stream_event(Lane* lanes, Tick& now, Tick to);
  bool stream_start(Tick now);
  void drop_held(Lane& lane, Tick now);
  Tick next_look() const { return std::min(start_at_, next_row()); }
  void give_way(Lane& lane, Tick now);
  void issue(Lane& lane);
  void trace_read(const Server& server, Tick now);
  void burst_left(Lane& lane, Server& server, Tick now);
  void server_left(Lane& lane, Server& server, Tick now);
  bool make_room(const Lane& lane, Tick now, Tick to);
  void settle(Server& server);
  void flush(Lane& lane);

  // Who is served next (fast_lanes.cpp).
  bool renew(Lane& lane, Tick now);
  void absorb(Lane& lane, Tick now);
  bool gather(Lane& lane, Tick now);
  void await(Lane& lane, const Contender& contender) const;
  Tick read_spacing(int a, int b) const;
  void prepare(Lane& lane, Tick from);
  void find_ready(Lane& lane, Tick soon);
  void choose(Lane& lane, Tick now);
  Tick within_reach(const Lane& lane, const Contender& contender) const;
  bool elsewhere(const Lane& lane, int bank) const;
  void choose_among(Lane& lane, Tick now);
  void appoint(Lane& lane, int i, int bank) const;
  bool succeed(Lane& lane);
  void find_rivals(Lane& lane) const;
  void add_rival(Lane& lane, const Contender& rival) const;
  void look_up(const Lane& lane, Server& server) const;
  void plan(Lane& lane, Tick from) const;

  // Turns (fast_turns.cpp).
  bool alternates(const Lane& lane) const;
  bool in_time(const Lane& lane) const;
  bool take_turns(Lane& lane, Lane* other, Tick to);
  void look_ahead(Turns& turns) const;
  bool go_on(Turns& turns);
  static bool ends_soon(const Lane& lane);
  bool take_some(Turns& turns);
  static bool unchanged(const Lane& lane, Tick now);
  bool goes_on(Lane& lane, Tick now, bool takes_turns = true);
  static std::uint64_t turn_limit(const Lane& lane, int server);
  void count_first(Lane& lane, Server& server);
  bool take_turn(Lane& lane);
  void turns_taken(Lane& lane) const;

  // Rounds of them (fast_rounds.cpp).
  int rounds_ahead(const Lane& lane, const Lane* other, Tick limit, Tick row);
  bool waits_for_row(const Lane& lane, int rounds) const;
  static int rounds_of(const Lane& lane, int rounds);
  int quiet_bursts(int most, Tick now, bool& begins);
  int quiet_bursts_of(const PieceState& piece, int most) const;
  void take_rounds(Lane& lane, Lane* other, int rounds);
  void take_rounds(Lane& lane, int rounds);
  void next_run(Tick now);
  bool enter_runs(Places* places, Tick& now);
  void fill_up(const Lane& lane, Tick first, int rounds, const Lane* other, Tick other_first);
  void trace_rounds(const Lane& lane, const Lane* other, int rounds);

  int group_shift_, stack_id_shift_;
  Tick tBURST_, tRCDRD_;
  ReadSpacing spacing_{};
  bool takes_turns_;      // two bank groups fill the data bus
  bool refreshes_;        // single banks, while the others go on
  bool stack_ids_apart_;  // a read of another stack id is held back for longer than a burst
  Trial trial_;
  std::unique_ptr<Lane[]> lanes_;  // by pseudo-channel
  bool stopped_at_end_ = false;    // the latest stretch, for no other reason; it can go on
};

}  // namespace ridgepoint::dram
