// SPDX-License-Identifier: Apache-2.0
// Why an engine of a core is, or is not, working. Exactly one reason holds in every cycle, so the
// reasons of an engine sum to its lifetime.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/time.hpp"

namespace ridgepoint::probe {

enum class Stall : std::uint8_t {
  kBusy,          // working; for load and store: at least one piece issued and not yet arrived
  kBackPressure,  // load and store: the next piece's port has no room and nothing is in flight
  kWaitLoad,      // head command waits for a load of this core
  kWaitMatrix,
  kWaitVector,
  kWaitStore,
  kWaitSync,   // head command waits for another core
  kNoCommand,  // queue empty, the kernel waits for a ring slot or has nothing for this engine
  kDrain,      // this core is finished with the kernel, another is not
  kLaunch,     // no kernel: host launch cost
};
inline constexpr std::size_t kStalls = 10;
inline constexpr std::array<std::string_view, kStalls> kStallNames{
    "busy",       "back_pressure", "wait_load",  "wait_matrix", "wait_vector",
    "wait_store", "wait_sync",     "no_command", "drain",       "launch"};

// Cycles per reason.
struct StallCycles {
  std::array<core::Cycle, kStalls> cycles{};

  core::Cycle& operator[](Stall reason) { return cycles[static_cast<std::size_t>(reason)]; }
  core::Cycle operator[](Stall reason) const { return cycles[static_cast<std::size_t>(reason)]; }
  core::Cycle total() const {
    core::Cycle sum = 0;
    for (const core::Cycle value : cycles) sum += value;
    return sum;
  }
  StallCycles& operator+=(const StallCycles& other) {
    for (std::size_t i = 0; i < kStalls; ++i) cycles[i] += other.cycles[i];
    return *this;
  }
  StallCycles operator-(const StallCycles& other) const {
    StallCycles result = *this;
    for (std::size_t i = 0; i < kStalls; ++i) result.cycles[i] -= other.cycles[i];
    return result;
  }
  friend bool operator==(const StallCycles&, const StallCycles&) = default;
};

}  // namespace ridgepoint::probe
