// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/intake.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "sim/core/error.hpp"

namespace ridgepoint::dram {
namespace {

constexpr std::size_t kMostLooks = 64;

bool earlier(const core::MemoryEvent& a, const core::MemoryEvent& b) {
  if (a.time != b.time) return a.time < b.time;
  return std::tie(a.source, a.id) < std::tie(b.source, b.id);
}

}  // namespace

Intake::Intake(const Spec& spec) : spec_(&spec) {}

bool Intake::before(int a, int b) const {
  const core::MemoryRequest& left = pieces_[static_cast<std::size_t>(a)].request;
  const core::MemoryRequest& right = pieces_[static_cast<std::size_t>(b)].request;
  if (left.arrival != right.arrival) return left.arrival < right.arrival;
  return std::tie(left.source, left.id) < std::tie(right.source, right.id);
}

void Intake::submit(const core::MemoryRequest& request, core::Femtoseconds simulated_until) {
  const auto capacity = static_cast<std::uint64_t>(spec_->geometry.channel_bytes());
  if (request.bytes == 0 || request.address >= capacity ||
      request.bytes > capacity - request.address) {
    throw core::SimulationError("memory request of " + std::to_string(request.bytes) +
                                " bytes at channel address " + std::to_string(request.address) +
                                " is outside the channel's " + std::to_string(capacity) + " bytes");
  }
  if (request.arrival < simulated_until) {
    throw core::SimulationError("memory request arrives at " + std::to_string(request.arrival) +
                                " fs, before the simulated time " +
                                std::to_string(simulated_until) + " fs");
  }
  if (free_.empty()) {
    free_.push_back(static_cast<int>(pieces_.size()));
    pieces_.emplace_back();
  }
  const int index = free_.back();
  free_.pop_back();
  const auto burst = static_cast<std::uint64_t>(spec_->geometry.burst_bytes);
  const auto first = static_cast<std::int64_t>(request.address / burst);
  const auto end = static_cast<std::int64_t>((request.address + request.bytes - 1) / burst + 1);
  pieces_[static_cast<std::size_t>(index)] = {
      request, spec_->tick_clock.first_cycle_at_or_after(request.arrival), first, end, end - first,
      0};
  ++live_;
  live_writes_ += request.is_write ? 1 : 0;
  waiting_bursts_ += end - first;
  waiting_.insert(index, [this](int a, int b) { return before(a, b); });
}

std::int64_t Intake::useful_bytes(const PieceState& piece, std::int64_t burst) const {
  const auto size = static_cast<std::uint64_t>(spec_->geometry.burst_bytes);
  const std::uint64_t begin = static_cast<std::uint64_t>(burst) * size;
  const std::uint64_t first = std::max(begin, piece.request.address);
  const std::uint64_t last = std::min(begin + size, piece.request.address + piece.request.bytes);
  return static_cast<std::int64_t>(last - first);
}

void Intake::admit_head(Tick now) {
  const core::MemoryRequest& request = piece(waiting_.front()).request;
  admitted_.push_back({request.id, request.source, spec_->tick_clock.time_of(now)});
  waiting_bursts_ -= piece(waiting_.front()).end_burst - first_burst_of(piece(waiting_.front()));
  waiting_.pop_front();
}

std::int64_t Intake::waiting_bursts(core::Femtoseconds until) const {
  if (live_writes_ > 0 || waiting_.empty()) return 0;
  const PieceState& head = piece(waiting_.front());
  const std::int64_t entered = head.next_burst - first_burst_of(head);
  const std::size_t most = std::min(waiting_.size(), kMostLooks);
  std::int64_t later = 0;
  for (std::size_t look = 1; look <= most; ++look) {
    const PieceState& state = piece(waiting_[waiting_.size() - look]);
    if (state.request.arrival < until) return waiting_bursts_ - entered - later;
    later += state.end_burst - first_burst_of(state);
  }
  // Many are yet to come: of the others, as many as a look from the front finds.
  std::int64_t bursts = -entered;
  for (std::size_t at = 0; at < most; ++at) {
    const PieceState& state = piece(waiting_[at]);
    if (state.request.arrival >= until) break;
    bursts += state.end_burst - first_burst_of(state);
  }
  return bursts;
}

std::int64_t Intake::first_burst_of(const PieceState& piece) const {
  return static_cast<std::int64_t>(piece.request.address /
                                   static_cast<std::uint64_t>(spec_->geometry.burst_bytes));
}

void Intake::complete(int index) {
  const PieceState& state = piece(index);
  completed_.insert({state.request.id, state.request.source, spec_->tick_clock.time_of(state.done)},
                    earlier);
  free_.push_back(index);
  --live_;
  live_writes_ -= state.request.is_write ? 1 : 0;
}

core::Femtoseconds Intake::next_completion() const {
  return completed_.empty() ? core::kNever : completed_.front().time;
}

void Intake::take_admitted(std::vector<core::MemoryEvent>& out) {
  out.insert(out.end(), admitted_.begin(), admitted_.end());
  admitted_.clear();
}

void Intake::take_completed(std::vector<core::MemoryEvent>& out, core::Femtoseconds until) {
  while (!completed_.empty() && completed_.front().time < until) {
    out.push_back(completed_.front());
    completed_.pop_front();
  }
}

}  // namespace ridgepoint::dram
