// SPDX-License-Identifier: Apache-2.0
// The short way of the event-driven controller for stretches of reads. FR-FCFS then serves, in each
// pseudo-channel, the two oldest requests of different bank groups in turn, until one of them has
// no more bursts, an older request's row opens, or time brings something else: those few cases end
// the stretch or start another one. Within it a column command costs a comparison and a few
// additions; rule registers and statistics learn of it afterwards, once for the whole stretch.
#include <algorithm>
#include <bit>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

}  // namespace

// One pseudo-channel: the oldest request to an open row (0), the oldest in another bank group (1),
// and the age of the oldest among all others, which must stay younger than whom is served.
struct EventChannel::LaneServer {
  int bank = -1;  // flat; -1: none
  std::uint16_t slot = BankQueues::kNone;
  std::uint64_t order = kNobody;
  Tick ready = core::kNever;  // by the rules of its bank, group and stack id
  Tick last = -1;             // its latest column command that no register knows of
  std::int32_t bursts = 0;
  bool plain = false;  // nothing special about its next burst
};

struct EventChannel::Lane {
  PseudoChannel* pc = nullptr;
  BankQueues* queue = nullptr;
  LaneServer server[2];
  Tick apart = 0;  // the other server's spacing
  std::uint64_t rival = kNobody;
  Tick rival_ready = core::kNever;  // none of the others is ready before
  std::uint32_t changes = 0;        // of the queue, that the servers know of
  Tick gate = 0;                    // by the rules of the pseudo-channel and the channel
  Tick slot_end = 0;                // of the data bus
  Tick next = core::kNever;         // the next column command
  std::uint64_t order = 0;
  int chosen = -1;  // its server; -1: another request might be served then
  Ledger::Stretch stretch;
};

// Whether the configuration admits the short way: nothing but the age of requests to open rows
// decides about column commands, and nothing but demand about row commands.
bool EventChannel::may_stream() const {
  return spec_->config.controller == ControllerKind::kFast && !fancy_ && !optional_rows_ &&
         spec_->config.row_policy == RowPolicy::kOpen && !spec_->standard->shared_command_bus &&
         pcs_.size() <= kLanes;
}

bool EventChannel::can_stream() const {
  if (incoming_.left > 0 && incoming_.write) return false;
  bool any = false;
  for (const PseudoChannel& pc : pcs_) {
    if (pc.draining || !pc.queues[1].empty() || pc.held != 0) return false;
    any = any || pc.queues[0].hits() != 0;
  }
  return any;
}

// Goes on from `from` until `to` or the tick at which something else than reads, row commands for them and
// arriving reads is to be done; returns that tick.
Tick EventChannel::stream(Tick from, Tick to) {
  Lane lanes[kLanes];
  const std::size_t count = pcs_.size();
  for (std::size_t i = 0; i < count; ++i) {
    lanes[i].pc = &pcs_[i];
    lanes[i].queue = &pcs_[i].queues[0];
    prepare(lanes[i]);
    plan(lanes[i], from);
  }
  reads_only_ = true;
  Tick now = 0;
  for (;;) {
    Lane* lane = &lanes[0];
    Tick row_at = lane->pc->row_at;
    for (std::size_t i = 1; i < count; ++i) {
      Lane& other = lanes[i];
      row_at = std::min(row_at, other.pc->row_at);
      if (other.next < lane->next || (other.next == lane->next && other.order < lane->order)) {
        lane = &other;
      }
    }
    const Tick event = std::min(start_at_, row_at);
    now = std::min(event, lane->next);
    if (now >= to) break;
    if (event <= lane->next) {
      if (start_at_ <= now) {
        if (refresh_due(now)) break;
        start_at_ = core::kNever;
        feed(now);
        if (start_at_ <= now) break;  // a write
        for (const PseudoChannel& pc : pcs_) start_at_ = std::min(start_at_, pc.refresh.next_due());
      }
      row_phase(now);
      for (std::size_t i = 0; i < count; ++i) {
        if (lanes[i].changes == lanes[i].queue->changes()) continue;
        flush(lanes[i]);
        prepare(lanes[i]);
        plan(lanes[i], now);
      }
      continue;
    }
    if (lane->chosen < 0) {
      flush(*lane);
      prepare(*lane);
      plan(*lane, now);
      if (lane->chosen < 0) break;
      continue;
    }
    issue(*lane);
    make_room(*lane, now + 1, to);
    const Tick bus_free = now + spacing_.channel;
    for (std::size_t i = 0; i < count; ++i) {
      Lane& each = lanes[i];
      const bool changed = each.changes != each.queue->changes();
      if (&each != lane && !changed && each.next >= bus_free) continue;
      each.gate = std::max(each.gate, bus_free);
      if (changed) {
        flush(each);
        prepare(each);
      }
      plan(each, now + 1);
    }
  }
  reads_only_ = false;
  for (std::size_t i = 0; i < count; ++i) {
    flush(lanes[i]);
    lanes[i].pc->column_at = lanes[i].next;
  }
  return now;
}

// A burst has left: the blocked one enters at `now`, unless that is not to be simulated yet.
void EventChannel::make_room(const Lane& lane, Tick now, Tick to) {
  if (incoming_.left == 0 || incoming_.pc != lane.pc) return;
  if (now >= to) {
    start_at_ = now;
  } else if (incoming_.left > 1 && incoming_.slot != BankQueues::kNone) {
    lane.queue->append(incoming_.slot, 1, now);
    ledger_.entered(1, now);
    ++entered_;
    --incoming_.left;
    ++incoming_.piece->next_burst;
  } else {
    feed(now);
  }
}

bool EventChannel::refresh_due(Tick now) const {
  return std::any_of(pcs_.begin(), pcs_.end(),
                     [now](const PseudoChannel& pc) { return pc.refresh.next_due() <= now; });
}

void EventChannel::prepare(Lane& lane) {
  const BankQueues& queue = *lane.queue;
  const PseudoChannel& pc = *lane.pc;
  lane.changes = queue.changes();
  lane.rival = kNobody;
  lane.rival_ready = core::kNever;
  std::uint64_t age[2]{kNobody, kNobody};
  int bank[2]{-1, -1};
  for (std::uint64_t left = queue.hits(); left != 0; left &= left - 1) {
    const int candidate = std::countr_zero(left);
    const std::uint64_t order = queue.hit(candidate).order();
    if (order < age[0]) {
      age[0] = order;
      bank[0] = candidate;
    }
  }
  for (std::uint64_t left = queue.hits(); left != 0; left &= left - 1) {
    const int candidate = std::countr_zero(left);
    if (candidate == bank[0]) continue;
    const std::uint64_t order = queue.hit(candidate).order();
    int other = candidate;
    if (order < age[1] && candidate >> group_shift_ != bank[0] >> group_shift_) {
      lane.rival = std::min(lane.rival, age[1]);
      age[1] = order;
      std::swap(bank[1], other);
    } else {
      lane.rival = std::min(lane.rival, order);
    }
    if (other >= 0) {
      const Tick ready = timers_.narrow(Command::kRd, pc.first_bank + other);
      lane.rival_ready = std::min(lane.rival_ready, ready);
    }
  }
  for (int i = 0; i < 2; ++i) {
    lane.server[i] = {};
    if (bank[i] >= 0) lane.server[i].bank = pc.first_bank + bank[i];
    if (bank[i] >= 0) look_up(lane, lane.server[i]);
    if (bank[i] >= 0) lane.server[i].ready = timers_.narrow(Command::kRd, pc.first_bank + bank[i]);
  }
  lane.apart = bank[0] >> stack_id_shift_ == bank[1] >> stack_id_shift_ ? spacing_.stack_id
                                                                       : spacing_.other_stack_id;
  lane.gate = std::max(lane.gate, timers_.wide(Command::kRd, pc.first_bank));
  lane.slot_end = ledger_.slot_end(pc.index);
}

// The server's next burst.
void EventChannel::look_up(const Lane& lane, LaneServer& server) const {
  server.slot = lane.queue->hit_slot(server.bank & bank_mask_);
  const BankQueues::Run& run = lane.queue->run(server.slot);
  server.order = run.order();
  server.plain = run.whole && !ledger_.first_of_row(server.bank) && !ledger_.observer();
}

// The next column command: at the first tick from `from` on that the buses allow, by the older of
// the servers that are ready then, provided that nobody else may be older or readier.
void EventChannel::plan(Lane& lane, Tick from) const {
  lane.order = 0;  // somebody not known goes first
  lane.chosen = -1;
  const auto& [first, second] = lane.server;
  if (first.bank < 0) {
    lane.next = core::kNever;
    return;
  }
  lane.next = spec_->align_up(Command::kRd, std::max(lane.gate, from));
  if (const Tick ready = std::min(first.ready, second.ready); ready > lane.next) {
    if (lane.rival_ready <= lane.next) return;
    lane.next = spec_->align_up(Command::kRd, std::min(ready, lane.rival_ready));
  }
  std::uint64_t oldest = lane.rival;
  if (first.ready <= lane.next && first.order < oldest) oldest = first.order, lane.chosen = 0;
  if (second.ready <= lane.next && second.order < oldest) oldest = second.order, lane.chosen = 1;
  if (lane.chosen >= 0) lane.order = oldest;
}

void EventChannel::issue(Lane& lane) {
  LaneServer& server = lane.server[lane.chosen];
  LaneServer& other = lane.server[1 - lane.chosen];
  const Tick now = lane.next;
  const BankQueues::Run& run = lane.queue->run(server.slot);
  const bool plain = server.plain && now == lane.slot_end;
  if (plain) {
    ++lane.stretch.bursts[static_cast<std::size_t>(run.traffic)];
    lane.stretch.ticks += now;
    lane.stretch.last = now;
    ++server.bursts;
  } else {
    flush(lane);
    const std::int64_t useful = run.whole
                                    ? spec_->geometry.burst_bytes
                                    : intake_.useful_bytes(intake_.piece(run.piece), run.burst());
    ledger_.column_command(Command::kRd, {server.bank, run.row, run.column()},
                           run.oldest_entered(), now, run.traffic, useful);
  }
  server.last = now;
  lane.slot_end = now + tBURST_;
  lane.gate = now + spacing_.pseudo_channel;
  server.ready = std::max(server.ready, now + spacing_.self);
  other.ready = std::max(other.ready, now + lane.apart);
  if (run.queued > 1) {
    lane.queue->leave_inside(server.slot);
    ++server.order;
    if (!plain) look_up(lane, server);
  } else {
    run_left(lane, server, now);
  }
}

// The last burst of a server's run leaves.
void EventChannel::run_left(Lane& lane, LaneServer& server, Tick now) {
  PseudoChannel& pc = *lane.pc;
  const int bank = server.bank & bank_mask_;
  leave(pc, false, server.bank, now + data_end_[0]);
  if ((lane.queue->hits() >> bank & 1) != 0) {
    look_up(lane, server);
    return;
  }
  flush(lane);
  if (lane.queue->empty()) ledger_.queue_became(true, pc.index, now);
  // Without hits the bank may need a row command.
  if ((lane.queue->queued() >> bank & 1) != 0) {
    pc.row_at = std::min(pc.row_at, when(Command::kPre, server.bank, now + 1));
  }
}

// Tells registers and statistics of the column commands that they do not know of.
void EventChannel::flush(Lane& lane) {
  for (LaneServer& server : lane.server) {
    if (server.last < 0) continue;
    timers_.issue(Command::kRd, server.bank, server.last);
    if (siblings_) timers_.issue_siblings(Command::kRd, server.bank, server.last);
    use(server.bank).last_use = server.last;
    ledger_.bank_columns(server.bank, server.bursts, server.last);
    server.last = -1;
    server.bursts = 0;
  }
  ledger_.columns(lane.pc->index, lane.stretch);
  lane.stretch = {};
}

}  // namespace ridgepoint::dram
