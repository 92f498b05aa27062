// SPDX-License-Identifier: Apache-2.0
// What one channel counts, as a plain struct. All numbers are totals since tick 0, so the
// difference of two snapshots is an interval. Formatting is elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/memory_port.hpp"
#include "sim/dram/command.hpp"

namespace ridgepoint::dram {

// Every tick of a pseudo-channel is either busy (it belongs to the tBURST ticks that start with a
// column command) or lost for exactly one reason: what the next column command had to wait for.
enum class Lost : std::uint8_t {
  kIdle,        // no request was queued
  kQueue,       // requests waited, but the one served next had not entered the queue yet
  kRefresh,     // its bank was being refreshed or prepared for it
  kRowMiss,     // its bank was closed: tRCD
  kConflict,    // another row was open: tRAS, tRP, tRC, tRCD
  kActivation,  // its bank was ready for ACT, which waited for tRRD, tFAW or the row bus
  kTurnaround,  // the data bus changed direction
  kBankGroup,   // the previous burst came from the same bank group: tCCD_L
  kColumn,      // the rest: tCCD_R, the shared column bus, the command grid
  kPending,     // requests are queued and the next column command will tell
};
inline constexpr std::size_t kLostReasons = 10;
inline constexpr std::array<std::string_view, kLostReasons> kLostNames{
    "idle",       "queue",      "refresh",    "row_miss", "row_conflict",
    "activation", "turnaround", "bank_group", "column",   "pending"};

inline constexpr std::size_t kLatencyBuckets = 40;

struct ChannelCounts {
  using ByTraffic = std::array<std::int64_t, core::kTrafficKinds>;

  ByTraffic read_pin_bytes{};  // whole bursts, as the pins see them
  ByTraffic write_pin_bytes{};
  ByTraffic read_useful_bytes{};  // what was asked for
  ByTraffic write_useful_bytes{};
  std::int64_t forwarded_bursts = 0;  // reads answered from the write queue, not at the pins

  std::array<std::int64_t, kCommandKinds> commands{};
  // The first burst after an ACT is a miss when its bank was closed and a conflict when another
  // row had to be closed for it; every other burst is a hit.
  std::int64_t row_hits = 0;
  std::int64_t row_misses = 0;
  std::int64_t row_conflicts = 0;

  std::int64_t total_ticks = 0;  // elapsed ticks x pseudo-channels = busy + sum of lost
  std::int64_t busy_ticks = 0;
  std::array<std::int64_t, kLostReasons> lost_ticks{};

  std::int64_t pieces = 0;         // completed
  std::int64_t latency_ticks = 0;  // sum over pieces, arrival to last byte
  std::array<std::int64_t, kLatencyBuckets> latency_histogram{};  // [i]: 2^i <= ticks < 2^(i+1)
  std::int64_t queue_wait_ticks = 0;  // queued bursts x ticks; / elapsed = mean occupancy

  friend bool operator==(const ChannelCounts&, const ChannelCounts&) = default;
};

struct ChannelStats : ChannelCounts {
  std::vector<std::int64_t> bank_activations;  // by flat bank
  std::vector<std::int64_t> bank_bursts;

  std::int64_t pin_bytes() const;
  ChannelStats& operator+=(const ChannelStats& other);
  ChannelStats& operator-=(const ChannelStats& other);
  friend ChannelStats operator+(ChannelStats a, const ChannelStats& b) { return a += b; }
  friend ChannelStats operator-(ChannelStats a, const ChannelStats& b) { return a -= b; }
  friend bool operator==(const ChannelStats&, const ChannelStats&) = default;
};

}  // namespace ridgepoint::dram
