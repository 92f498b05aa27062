// SPDX-License-Identifier: Apache-2.0
// The shared on-chip memory: one server of finite width and fixed latency. It serves requests in
// order of arrival (then source, then id); it keeps no values, views point at them.
#pragma once

#include <queue>
#include <vector>

#include "sim/accel/config.hpp"
#include "sim/core/memory_port.hpp"

namespace ridgepoint::accel {

struct SharedMemoryCounters {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  core::Cycle busy_cycles = 0;
};

class SharedMemory final : public core::MemoryPort {
 public:
  explicit SharedMemory(const AcceleratorConfig& config);

  void submit(const core::MemoryRequest& request) override;
  void advance(core::Femtoseconds until) override;
  core::Femtoseconds next_event() const override;
  void take_admitted(std::vector<core::MemoryEvent>& out) override;
  void take_completed(std::vector<core::MemoryEvent>& out) override;
  const SharedMemoryCounters& counters() const { return counters_; }

 private:
  struct Later {
    bool operator()(const core::MemoryRequest& a, const core::MemoryRequest& b) const;
  };

  core::Clock clock_;
  std::int64_t bytes_per_cycle_;
  core::Femtoseconds latency_;
  core::Cycle free_at_ = 0;
  core::Femtoseconds horizon_ = 0;
  std::priority_queue<core::MemoryRequest, std::vector<core::MemoryRequest>, Later> arrivals_;
  std::vector<core::MemoryEvent> admitted_;
  std::vector<core::MemoryEvent> completed_;
  SharedMemoryCounters counters_;
};

}  // namespace ridgepoint::accel
