// SPDX-License-Identifier: Apache-2.0
// The way of bursts into the queues of the event-driven controller: in the order of the requests,
// in runs of neighbours that share a row, while there is room.
#include <algorithm>

#include "sim/dram/event_channel.hpp"

namespace ridgepoint::dram {

// Blocked bursts are tried again after the next column command, the only thing that makes room.
void EventChannel::feed(Tick now) {
  Incoming& in = incoming_;
  while (in.left > 0 || open_run(now)) {
    if (in.here().pc->queues[!in.write].empty()) {
      enter_run(in.left, now);
    } else {
      enter_checked(now);
    }
    if (in.left > 0) return;
    if (in.piece->next_burst < in.piece->end_burst) continue;
    intake_.admit_head(now);
    in.piece = nullptr;
  }
}

// False when no request is there to enter; start_at_ is then lowered to when there is one.
bool EventChannel::open_run(Tick now) {
  Incoming& in = incoming_;
  if (in.piece == nullptr && !open_request(now)) return false;
  const std::int64_t burst = in.piece->next_burst;
  if (burst >= in.cycle_end) begin_cycle(burst);
  in.run = static_cast<int>(burst >> run_shift_) & (cycle_runs_ - 1);
  Entrance& here = in.here();
  if (here.pc == nullptr) find_entrance(here, burst);
  const std::int64_t end = std::min((burst | (run_bursts_ - 1)) + 1, in.piece->end_burst);
  in.left = static_cast<int>(end - burst);
  return true;
}

bool EventChannel::open_request(Tick now) {
  Incoming& in = incoming_;
  PieceState* piece = intake_.head(now);
  if (piece == nullptr) {
    start_at_ = std::min(start_at_, intake_.next_arrival());
    return false;
  }
  if (reads_only_ && piece->request.is_write) {
    start_at_ = now;
    return false;
  }
  in.piece = piece;
  in.piece_index = intake_.head_index();
  in.write = piece->request.is_write;
  in.age = entered_ - static_cast<std::uint64_t>(piece->next_burst);
  entered_ += static_cast<std::uint64_t>(piece->end_burst - piece->next_burst);
  in.cycle_end = 0;
  return true;
}

void EventChannel::begin_cycle(std::int64_t burst) {
  incoming_.cycle_end = (burst | (cycle_bursts_ - 1)) + 1;
  incoming_.begun = 0;
  std::fill_n(incoming_.entrance, cycle_runs_, Entrance{});
}

void EventChannel::find_entrance(Entrance& entrance, std::int64_t burst) {
  const DramAddress at = map_.decode(burst);
  entrance.pc = &pc_of(at.bank);
  entrance.bank = at.bank;
  incoming_.row = at.row;
}

// As many of the next `most` bursts as there is room for; none can meet its like in the other
// queue. False when none has entered.
bool EventChannel::enter_run(int most, Tick now) {
  Incoming& in = incoming_;
  PseudoChannel& pc = *in.here().pc;
  BankQueues& queue = pc.queues[in.write];
  const int bursts = std::min(most, queue.room());
  if (bursts == 0) return false;
  ledger_.entered(bursts, bursts * now);
  if (in.here().visit == nullptr) begin_visit(queue, now);
  queue.enter(*in.here().visit, bursts, now);
  in.piece->next_burst += bursts;
  in.left -= bursts;
  if (fcfs_ && use(in.here().bank).open_row != in.row) pc.look_for_rows(now);
  return true;
}

void EventChannel::begin_visit(BankQueues& queue, Tick now) {
  Incoming& in = incoming_;
  const Entrance here = in.here();
  PseudoChannel& pc = *here.pc;
  const int bank = here.bank & bank_mask_;
  const bool first = (queue.queued() >> bank & 1) == 0;
  const std::int64_t open_row = use(here.bank).open_row;
  const std::int64_t burst = in.piece->next_burst;
  BankQueues::Visit& visit = queue.begin(bank, in.row, map_.column(burst), open_row,
                                         in.age + static_cast<std::uint64_t>(burst));
  if (queue.empty() && pc.queues[!in.write].empty()) ledger_.queue_became(false, pc.index, now);
  visit.piece = in.piece_index;
  visit.entrance = static_cast<std::uint8_t>(in.run);
  visit.traffic = in.piece->request.traffic;
  visit.whole = intake_.whole_bursts(*in.piece);
  in.here().visit = &visit;
  ++in.begun;
  // A row already open may be used as soon as its registers say; anything else is for the row bus.
  if (open_row == in.row) {
    pass_over(queue, bank);
    pc.column_at = std::min(pc.column_at, now);
    if (pc.pre.bank == here.bank) pc.pre.bank = -1;  // the row is wanted again
  } else if (first && in.write == pc.draining) {
    add_row(pc, here.bank, now);
  }
}

// Burst by burst: a read of a queued write is answered from the queue, a write of a burst that is
// still to be read waits.
void EventChannel::enter_checked(Tick now) {
  Incoming& in = incoming_;
  Entrance& here = in.here();
  const BankQueues& other = here.pc->queues[!in.write];
  while (in.left > 0) {
    const int column = map_.column(in.piece->next_burst);
    if (!other.contains(here.bank & bank_mask_, in.row, column)) {
      if (!enter_run(1, now)) return;
      continue;
    }
    if (in.write) return;
    ledger_.forwarded(in.piece->request.traffic,
                      intake_.useful_bytes(*in.piece, in.piece->next_burst));
    if (intake_.finish_bursts(in.piece_index, 1, now + 1)) ledger_.completed(*in.piece);
    in.forget(here);  // the next one does not follow in its visit
    ++in.piece->next_burst;
    --in.left;
  }
}

}  // namespace ridgepoint::dram
