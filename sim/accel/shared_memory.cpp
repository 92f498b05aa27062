// SPDX-License-Identifier: Apache-2.0
#include "sim/accel/shared_memory.hpp"

#include <algorithm>
#include <tuple>

#include "sim/core/error.hpp"

namespace ridgepoint::accel {

SharedMemory::SharedMemory(const AcceleratorConfig& config)
    : clock_(core::Clock::from_hertz(config.clock_hz)),
      bytes_per_cycle_(config.shared_bytes_per_cycle),
      latency_(config.shared_latency_ns * core::kFsPerNs) {}

bool SharedMemory::Later::operator()(const core::MemoryRequest& a,
                                     const core::MemoryRequest& b) const {
  return std::tie(a.arrival, a.source, a.id) > std::tie(b.arrival, b.source, b.id);
}

void SharedMemory::submit(const core::MemoryRequest& request) {
  if (request.arrival < horizon_) {
    throw core::SimulationError("shared memory: a request arrives in the simulated past");
  }
  arrivals_.push(request);
}

void SharedMemory::advance(core::Femtoseconds until) {
  horizon_ = std::max(horizon_, until);
  while (!arrivals_.empty() && arrivals_.top().arrival < until) {
    const core::MemoryRequest request = arrivals_.top();
    arrivals_.pop();
    const core::Cycle start = std::max(free_at_, clock_.first_cycle_at_or_after(request.arrival));
    const core::Cycle cycles = (request.bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_;
    free_at_ = start + cycles;
    counters_.busy_cycles += cycles;
    (request.is_write ? counters_.write_bytes : counters_.read_bytes) += request.bytes;
    admitted_.push_back({request.id, request.source, clock_.time_of(start)});
    completed_.push_back({request.id, request.source, clock_.time_of(free_at_) + latency_});
  }
}

core::Femtoseconds SharedMemory::next_event() const {
  return arrivals_.empty() ? core::kNever : arrivals_.top().arrival;
}

void SharedMemory::take_admitted(std::vector<core::MemoryEvent>& out) {
  out.insert(out.end(), admitted_.begin(), admitted_.end());
  admitted_.clear();
}

void SharedMemory::take_completed(std::vector<core::MemoryEvent>& out) {
  out.insert(out.end(), completed_.begin(), completed_.end());
  completed_.clear();
}

}  // namespace ridgepoint::accel
