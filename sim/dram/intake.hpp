// SPDX-License-Identifier: Apache-2.0
// The way in and out of a channel: requests by arrival, their splitting into bursts, and the
// completions. Knows no DRAM timing.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/core/memory_port.hpp"
#include "sim/dram/address_map.hpp"
#include "sim/dram/sorted_queue.hpp"
#include "sim/dram/spec.hpp"

namespace ridgepoint::dram {

// A request in flight.
struct PieceState {
  core::MemoryRequest request;
  Tick arrival = 0;             // the first tick that sees it
  std::int64_t next_burst = 0;  // of the channel, next to enter the queues
  std::int64_t end_burst = 0;
  std::int64_t unfinished = 0;  // bursts that have not had their column command
  Tick done = 0;                // end of data of the latest burst so far
};

class Intake {
 public:
  explicit Intake(const Spec& spec);

  void submit(const core::MemoryRequest& request, core::Femtoseconds simulated_until);

  // The request whose bursts enter next, or nullptr when none has arrived by `now`.
  PieceState* head(Tick now) {
    if (waiting_.empty()) return nullptr;
    PieceState& piece = pieces_[static_cast<std::size_t>(waiting_.front())];
    return piece.arrival <= now ? &piece : nullptr;
  }
  // The one after it.
  const PieceState* second(Tick now) const {
    if (waiting_.size() < 2) return nullptr;
    const PieceState& piece = pieces_[static_cast<std::size_t>(waiting_[1])];
    return piece.arrival <= now ? &piece : nullptr;
  }
  int head_index() const { return waiting_.front(); }
  Tick next_arrival() const {
    return waiting_.empty() ? core::kNever
                            : pieces_[static_cast<std::size_t>(waiting_.front())].arrival;
  }
  // Bytes of the request that lie in its burst `burst`.
  std::int64_t useful_bytes(const PieceState& piece, std::int64_t burst) const;
  // Whether that is all of them, in every burst.
  bool whole_bursts(const PieceState& piece) const {
    const auto burst = static_cast<std::uint64_t>(spec_->geometry.burst_bytes);
    return piece.request.address % burst == 0 && piece.request.bytes % burst == 0;
  }
  // The head's last burst entered at `now`.
  void admit_head(Tick now);

  const PieceState& piece(int index) const { return pieces_[static_cast<std::size_t>(index)]; }
  PieceState& piece(int index) { return pieces_[static_cast<std::size_t>(index)]; }
  // One burst's data ends at `end`. True when that was the piece's last burst.
  bool finish_burst(int index, Tick end) { return finish_bursts(index, 1, end); }
  bool finish_bursts(int index, std::int64_t count, Tick end) {
    PieceState& state = piece(index);
    state.done = std::max(state.done, end);
    state.unfinished -= count;
    if (state.unfinished != 0) return false;
    complete(index);
    return true;
  }

  // Bursts that have not entered, of requests that arrive before `until`; 0 while a write is about,
  // and fewer than there are while many requests are yet to arrive.
  std::int64_t waiting_bursts(core::Femtoseconds until) const;

  bool idle() const { return live_ == 0; }
  core::Femtoseconds next_completion() const;
  void take_admitted(std::vector<core::MemoryEvent>& out);
  void take_completed(std::vector<core::MemoryEvent>& out, core::Femtoseconds until);

 private:
  bool before(int a, int b) const;
  std::int64_t first_burst_of(const PieceState& piece) const;
  void complete(int index);

  const Spec* spec_;
  std::deque<PieceState> pieces_;  // a pool whose elements keep their places
  std::vector<int> free_;
  SortedQueue<int> waiting_;  // in order of (arrival, source, id)
  std::int64_t live_ = 0;
  std::int64_t live_writes_ = 0;
  std::int64_t waiting_bursts_ = 0;  // all of those in waiting_
  std::vector<core::MemoryEvent> admitted_;
  SortedQueue<core::MemoryEvent> completed_;  // in order of (time, source, id)
};

}  // namespace ridgepoint::dram
