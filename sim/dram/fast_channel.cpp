// SPDX-License-Identifier: Apache-2.0
// The loop of a stretch of reads, and bursts that are served one by one.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/dram/fast_lanes.hpp"

namespace ridgepoint::dram {
namespace {

constexpr int kWorthwhile = 16;  // bursts in a stretch
constexpr int kOfAVisit = 3;     // and per visit that ends
constexpr int kLongestPause = 4096;

}  // namespace

FastChannel::FastChannel(std::shared_ptr<const Spec> spec) : FastChannel(spec, Timers(*spec)) {}

FastChannel::FastChannel(std::shared_ptr<const Spec> spec, Timers timers)
    : EventChannel(std::move(spec), std::move(timers)),
      group_shift_(spec_->geometry.node_shift(Scope::kBankGroup)),
      stack_id_shift_(spec_->geometry.node_shift(Scope::kStackId)),
      tBURST_(spec_->timing("tBURST")),
      tRCDRD_(spec_->timing("tRCDRD")) {
  shortcuts_ = may_stream();
  if (shortcuts_) lanes_ = std::make_unique<Lane[]>(pcs_.size());
  const auto spacing = [&](Scope scope) {
    return timers_.spacing(scope, Command::kRd, Command::kRd);
  };
  spacing_ = {
      std::max({spacing(Scope::kBank), spacing(Scope::kBankGroup), spacing(Scope::kStackId)}),
      std::max(spacing(Scope::kBankGroup), spacing(Scope::kStackId)),
      spacing(Scope::kStackId),
      timers_.sibling_spacing(Scope::kStackId, Command::kRd, Command::kRd),
      std::max(spacing(Scope::kPseudoChannel), spacing(Scope::kChannel)),
      std::max<Tick>(spacing(Scope::kChannel), 1)};  // one column command per tick
  refreshes_ = spec_->config.refresh == RefreshMode::kPerBank;
  for (const Scope wide : {Scope::kBankGroup, Scope::kStackId, Scope::kPseudoChannel}) {
    refreshes_ = refreshes_ && timers_.spacing(wide, Command::kRd, Command::kRefPb) == 0;
  }
  stack_ids_apart_ = spec_->geometry.stack_ids > 1 && spacing_.other_stack_id > tBURST_;
  takes_turns_ = spacing_.pseudo_channel == tBURST_ && spacing_.group > tBURST_ &&
                 spacing_.self <= 2 * tBURST_ && spec_->align_up(Command::kRd, tBURST_) == tBURST_;
}

FastChannel::~FastChannel() = default;

// Whether the configuration admits the short way: nothing but the age of requests to open rows
// decides about column commands, and nothing but demand about row commands.
bool FastChannel::may_stream() const {
  return !fcfs_ && !optional_rows_ && spec_->config.row_policy == RowPolicy::kOpen &&
         !spec_->standard->shared_command_bus && pcs_.size() <= kLanes;
}

bool FastChannel::about_to_drain(const PseudoChannel& pc) {
  return pc.queues[0].empty() && !pc.queues[1].empty();
}

bool FastChannel::can_stream() const {
  if (incoming_.left > 0 && incoming_.write) return false;
  std::uint64_t any = 0;
  for (const PseudoChannel& pc : pcs_) {
    if (pc.draining || about_to_drain(pc)) return false;
    if (pc.held != 0 && (!refreshes_ || pc.refresh.behind())) return false;
    std::uint64_t hits = pc.queues[0].hits() & ~pc.held;
    any |= hits;
    if (spec_->config.hit_cap == 0) continue;
    for (; hits != 0; hits &= hits - 1) {
      if (pc.queues[0].passes_over(std::countr_zero(hits))) return false;
    }
  }
  return any != 0;
}

// Goes on from `from` until `to` or the tick at which something else than reads, row commands for
// them and arriving reads is to be done; returns that tick.
Tick FastChannel::shortcut(Tick from, Tick to) {
  const bool resumes = std::exchange(stopped_at_end_, false);
  if (!can_stream()) return from;
  Lane* const lanes = lanes_.get();
  const std::size_t count = pcs_.size();
  if (!resumes) {
    for (std::size_t i = 0; i < count; ++i) begin(lanes[i], pcs_[i], from);
  }
  reads_only_ = true;
  passed_over_ = false;
  ledger_.hold_trace();
  trial_.bursts = trial_.visits_left = 0;
  Tick now = from;
  while (stream_event(lanes, now, to)) {
  }
  const bool worth_it = trial_.bursts >= kOfAVisit * trial_.visits_left &&
                        (trial_.bursts >= kWorthwhile || now >= to);
  stopped_at_end_ = worth_it && now >= to;
  trial_.next_pause = worth_it ? 1 : std::min(2 * trial_.next_pause, kLongestPause);
  pause_ = worth_it ? 0 : trial_.next_pause;
  reads_only_ = false;
  for (std::size_t i = 0; i < count; ++i) {
    flush(lanes[i]);
    const bool known = lanes[i].changes == lanes[i].queue->changes();
    lanes[i].pc->column_at = known ? lanes[i].next : now;
  }
  ledger_.release_trace();
  return now;
}

void FastChannel::begin(Lane& lane, PseudoChannel& pc, Tick from) {
  lane.pc = &pc;
  lane.queue = &pc.queues[0];
  lane.server[0] = lane.server[1] = {};
  lane.last_stack_id = -1;
  lane.last = kLongAgo;
  lane.gate = timers_.wide(Command::kRd, pc.first_bank);
  lane.slot_end = ledger_.slot_end(pc.index);
  prepare(lane, from);
  plan(lane, from);
}

// The next thing that happens; false when it is not for here, with `now` its tick.
bool FastChannel::stream_event(Lane* lanes, Tick& now, Tick to) {
  const std::size_t count = pcs_.size();
  Lane* lane = &lanes[0];
  Lane* other = count > 1 ? &lanes[1] : nullptr;
  if (other != nullptr &&
      (other->next < lane->next || (other->next == lane->next && other->order < lane->order))) {
    std::swap(lane, other);
  }
  const Tick event = next_look();
  now = std::min(event, lane->next);
  if (now >= to || passed_over_) return false;
  if (event <= lane->next) {
    if (start_at_ <= now) {
      if (!stream_start(now) || passed_over_) return false;
      drop_held(*lane, now);
      if (other != nullptr) drop_held(*other, now);
    }
    row_phase(now);
    renew(*lane, now);
    if (other != nullptr) renew(*other, now);
    return true;
  }
  if (lane->chosen < 0) {
    if (lane->wake > now) flush(*lane);
    prepare(*lane, now);
    plan(*lane, now);
    return lane->chosen >= 0;
  }
  if (take_turns(*lane, other, to)) return true;
  issue(*lane);
  make_room(*lane, now + 1, to);
  if (!renew(*lane, now + 1)) plan(*lane, now + 1);
  if (other != nullptr) give_way(*other, now);
  return true;
}

// A column command of the other lane came at `now`.
void FastChannel::give_way(Lane& lane, Tick now) {
  lane.gate = std::max(lane.gate, now + spacing_.channel);
  if (!renew(lane, now + 1) && lane.next < lane.gate) plan(lane, now + 1);
}

// Arrivals, and refreshes of single banks; false for others, a write, or writes to drain.
bool FastChannel::stream_start(Tick now) {
  for (const PseudoChannel& pc : pcs_) {
    if (about_to_drain(pc) || (!refreshes_ && pc.refresh.next_due() <= now)) return false;
  }
  start_at_ = core::kNever;
  feed(now);
  if (start_at_ <= now) return false;
  bool behind = false;
  for (PseudoChannel& pc : pcs_) {
    refreshes_due(pc, now);
    start_at_ = std::min(start_at_, pc.refresh.next_due());
    behind = behind || pc.refresh.behind();
  }
  return !behind;
}

// Banks that wait for a refresh are served no more.
void FastChannel::drop_held(Lane& lane, Tick now) {
  if ((lane.known & lane.pc->held) == 0) return;
  prepare(lane, now);
  plan(lane, now);
}

// ---- Column commands

// One burst of the chosen server, whatever is special about it.
void FastChannel::issue(Lane& lane) {
  ++trial_.bursts;
  Server& server = lane.server[lane.chosen];
  Server& other = lane.server[1 - lane.chosen];
  const Tick now = lane.next;
  const BankQueues::Visit& visit = *server.visit;
  if (now == lane.slot_end && visit.whole) {
    count_first(lane, server);
    ++lane.stretch.bursts[static_cast<std::size_t>(visit.traffic)];
    lane.stretch.ticks += now;
    lane.stretch.last = now;
    ++server.bursts;
    trace_read(server, now);
  } else {
    flush(lane);
    ledger_.column_command(Command::kRd, {server.bank, visit.row, visit.oldest_column()},
                           visit.entered[visit.left], now, visit.traffic,
                           useful_bytes(visit, server.bank));
    served(pc_of(server.bank), server.bank, 1);
  }
  server.first_of_row = false;
  server.last = now;
  lane.last = now;
  lane.last_stack_id = server.bank >> stack_id_shift_;
  lane.slot_end = now + tBURST_;
  lane.gate = now + spacing_.pseudo_channel;
  server.ready = std::max(server.ready, now + spacing_.self);
  server.group_ready = std::max(server.group_ready, now + spacing_.group);
  other.ready = std::max(other.ready, now + lane.apart);
  burst_left(lane, server, now);
}

// The last queued burst of the server's visit leaves.
void FastChannel::server_left(Lane& lane, Server& server, Tick now) {
  PseudoChannel& pc = *lane.pc;
  const int bank = server.bank & bank_mask_;
  ++trial_.visits_left;
  visit_left(pc, false, server.bank, now + data_end_[0]);
  if ((lane.hits() >> bank & 1) != 0) {
    if (pass_over(*lane.queue, bank)) {
      settle(server);
      if ((pc.spent >> bank & 1) != 0) add_row(pc, server.bank, now + 1);
    }
    look_up(lane, server);
    return;
  }
  settle(server);
  const int flat_bank = std::exchange(server, {}).bank;
  lane.known &= ~(std::uint64_t{1} << bank);
  if (lane.queue->empty()) {
    flush(lane);
    if (about_to_drain(pc)) {
      start_at_ = now + 1;
    } else {
      ledger_.queue_became(true, pc.index, now);
    }
  }
  // Without hits the bank may need a row command.
  if ((lane.queue->queued() >> bank & 1) != 0) {
    add_row(pc, flat_bank, now + 1);
  }
}

// ---- Telling registers and statistics what they do not know of

void FastChannel::settle(Server& server) {
  if (server.last < 0) return;
  timers_.issue_narrow(Command::kRd, server.bank, server.last);
  use(server.bank).last_use = server.last;
  served(pc_of(server.bank), server.bank, server.bursts);
  ledger_.bank_columns(server.bank, server.bursts, server.last);
  server.last = -1;
  server.bursts = 0;
}

void FastChannel::flush(Lane& lane) {
  for (Server& server : lane.server) settle(server);
  timers_.issue_wide(Command::kRd, lane.pc->first_bank, lane.last);
  ledger_.columns(lane.pc->index, lane.stretch);
  lane.stretch = {};
}

}  // namespace ridgepoint::dram
