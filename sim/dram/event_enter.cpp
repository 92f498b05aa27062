// SPDX-License-Identifier: Apache-2.0
// The way of bursts into the queues of the event-driven controller: in the order of the requests,
// in runs of neighbours that share a row, while there is room.
#include <algorithm>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {

// Blocked bursts are tried again after the next column command, the only thing that makes room.
void EventChannel::feed(Tick now) {
  while (incoming_.left > 0 || open_run(now)) {
    const BankQueues& other = incoming_.pc->queues[!incoming_.write];
    if (other.empty()) {
      enter_run(incoming_.left, now);
    } else {
      enter_checked(now);
    }
    if (incoming_.left > 0) return;
    if (incoming_.piece->next_burst == incoming_.piece->end_burst) intake_.admit_head(now);
  }
}

// False when no request is there to enter; start_at_ is then lowered to when there is one.
bool EventChannel::open_run(Tick now) {
  PieceState* piece = intake_.head(now);
  if (piece == nullptr) {
    start_at_ = std::min(start_at_, intake_.next_arrival());
    return false;
  }
  if (reads_only_ && piece->request.is_write) {
    start_at_ = now;
    return false;
  }
  if (ahead_.count == 0) {
    ahead_.end = piece->next_burst;
    ahead_.closed = false;
  }
  incoming_.piece = piece;
  incoming_.piece_index = intake_.head_index();
  incoming_.write = piece->request.is_write;
  Coming run;
  if (ahead_.count > 0) {
    run = ahead_.at(0);
    ahead_.first = (ahead_.first + 1) % Ahead::kRuns;
    --ahead_.count;
    ahead_.bursts -= run.bursts;
  } else {
    run = decode_run(piece->next_burst);
    ahead_.end += run.bursts;
  }
  incoming_.pc = run.pc;
  incoming_.bank = run.bank;
  incoming_.left = run.bursts;
  incoming_.row = run.row;
  incoming_.visit = run.visit;
  return true;
}

// The run of the request at the head that begins with `burst`, and the visit that it goes on.
EventChannel::Coming EventChannel::decode_run(std::int64_t burst) {
  const std::int64_t group = std::min(map_.run_bursts(), BankQueues::kVisitBursts);
  const std::int64_t end = std::min((burst | (group - 1)) + 1, incoming_.piece->end_burst);
  const DramAddress at = map_.decode(burst);
  PseudoChannel& pc = pc_of(at.bank);
  const int bursts = static_cast<int>(end - burst);
  BankQueues::Visit* visit = pc.queues[incoming_.write].latest(
      at.bank & bank_mask_, incoming_.piece_index, at.row, bursts);
  if (visit != nullptr) visit->announced += bursts;
  return {burst, at.row, &pc, visit, at.bank, bursts};
}

// Not the last run of the request: with it, more ends than the run.
void EventChannel::look_ahead() {
  while (!ahead_.closed && ahead_.count < Ahead::kRuns) {
    ahead_.closed = ahead_.end + map_.run_bursts() >= incoming_.piece->end_burst;
    if (ahead_.closed) return;
    const Coming run = decode_run(ahead_.end);
    ahead_.closed = run.visit == nullptr;
    if (ahead_.closed) return;
    ahead_.at(ahead_.count++) = run;
    ahead_.bursts += run.bursts;
    ahead_.end += run.bursts;
  }
}

// The visit has ended: what was to go on it, and what comes after that, is looked at again.
void EventChannel::forget(const BankQueues::Visit& visit) {
  if (incoming_.visit == &visit) incoming_.visit = nullptr;
  int kept = 0;
  while (kept < ahead_.count && ahead_.at(kept).visit != &visit) ++kept;
  if (kept == ahead_.count) return;
  ahead_.end = ahead_.at(kept).first_burst;
  for (int i = kept; i < ahead_.count; ++i) {
    ahead_.at(i).visit->announced -= ahead_.at(i).bursts;
    ahead_.bursts -= ahead_.at(i).bursts;
  }
  ahead_.count = kept;
}

// As many of the next `most` bursts as there is room for; none can meet its like in the other
// queue. False when none has entered.
bool EventChannel::enter_run(int most, Tick now) {
  Incoming& in = incoming_;
  PseudoChannel& pc = *in.pc;
  BankQueues& queue = pc.queues[in.write];
  const int bursts = std::min(most, queue.room());
  if (bursts == 0) return false;
  if (queue.empty() && pc.queues[!in.write].empty()) ledger_.queue_became(false, pc.index, now);
  ledger_.entered(bursts, bursts * now);
  for (int i = 0; i < bursts; ++i, --in.left) {
    if (in.visit == nullptr) begin_visit(pc, queue, now);
    queue.enter(*in.visit, {in.piece->next_burst++, entered_++, now});
  }
  if (fcfs_ && use(in.bank).open_row != in.row) pc.look_for_rows(now);
  return true;
}

void EventChannel::begin_visit(PseudoChannel& pc, BankQueues& queue, Tick now) {
  Incoming& in = incoming_;
  const int bank = in.bank & bank_mask_;
  const bool first = (queue.queued() >> bank & 1) == 0;
  const std::int64_t open_row = use(in.bank).open_row;
  BankQueues::Visit& visit = queue.begin(bank, in.row, open_row, entered_);
  visit.piece = in.piece_index;
  visit.announced = in.left;
  visit.traffic = in.piece->request.traffic;
  visit.whole = intake_.whole_bursts(*in.piece);
  in.visit = &visit;
  // A row already open may be used as soon as its registers say; anything else is for the row bus.
  if (open_row == in.row) {
    pc.column_at = std::min(pc.column_at, now);
    if (pc.pre.bank == in.bank) pc.pre.bank = -1;  // the row is wanted again
  } else if (first && in.write == pc.draining) {
    add_row(pc, in.bank, now);
  }
}

// Burst by burst: a read of a queued write is answered from the queue, a write of a burst that is
// still to be read waits.
void EventChannel::enter_checked(Tick now) {
  Incoming& in = incoming_;
  const BankQueues& other = in.pc->queues[!in.write];
  while (in.left > 0) {
    if (!other.contains(in.bank & bank_mask_, in.piece->next_burst)) {
      if (!enter_run(1, now)) return;
      continue;
    }
    if (in.write) return;
    ledger_.forwarded(in.piece->request.traffic,
                      intake_.useful_bytes(*in.piece, in.piece->next_burst));
    if (intake_.finish_bursts(in.piece_index, 1, now + 1)) ledger_.completed(*in.piece);
    ++in.piece->next_burst;
    --in.left;
  }
}

}  // namespace ridgepoint::dram
