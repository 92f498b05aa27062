// SPDX-License-Identifier: Apache-2.0
// What an HBM channel and the shared on-chip memory have in common, seen from the fabric: time-stamped
// requests go in, completions come out, and time is an argument. No SystemC here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/time.hpp"

namespace ridgepoint::core {

// What the bytes are, so that "weights only" and "with activations" are both counted, never derived.
enum class Traffic : std::uint8_t { kWeight, kKv, kActivation, kOther };
inline constexpr std::size_t kTrafficKinds = 4;
inline constexpr std::array<std::string_view, kTrafficKinds> kTrafficNames{"weight", "kv",
                                                                          "activation", "other"};

// One DMA piece for one memory port: a contiguous range of that port's own address space.
struct MemoryRequest {
  std::uint64_t id = 0;        // the initiator's; returned with the completion
  std::uint64_t address = 0;   // bytes, local to the port
  std::uint32_t bytes = 0;     // > 0; need not be a multiple of the burst
  std::uint32_t source = 0;    // initiator number; breaks ties between simultaneous arrivals
  Femtoseconds arrival = 0;    // when it reaches the port
  bool is_write = false;
  Traffic traffic = Traffic::kOther;
};

struct MemoryEvent {
  std::uint64_t id = 0;
  std::uint32_t source = 0;
  Femtoseconds time = 0;
};

// A port may be simulated ahead of the caller's clock, up to a horizon before which no further
// request can arrive (the fabric's request latency gives that look-ahead). Results do not depend
// on the order of submit() calls, nor on how the advance() calls cut time.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  // request.arrival must be >= the last `until`; throws SimulationError otherwise.
  virtual void submit(const MemoryRequest& request) = 0;
  // Simulates everything that happens strictly before `until`.
  virtual void advance(Femtoseconds until) = 0;
  // As advance(until), and on from there as long as no request that arrives at `until` or later can
  // change what happens; what was completed until then is taken as well.
  virtual void run_ahead(Femtoseconds until) { advance(until); }
  // A time before which nothing can happen without a new request; kNever when idle for good.
  virtual Femtoseconds next_event() const = 0;

  // Since the last take: requests that have left the port's input queue (their place can be given
  // to another one), and requests whose last byte has been transferred. Both in time order.
  virtual void take_admitted(std::vector<MemoryEvent>& out) = 0;
  virtual void take_completed(std::vector<MemoryEvent>& out) = 0;
};

}  // namespace ridgepoint::core
