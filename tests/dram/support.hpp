// SPDX-License-Identifier: Apache-2.0
// Patterns and a driver for channel tests: the request streams that users of DRAM simulators
// compare, split over channels, each channel fed in order.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sim/dram/channel.hpp"
#include "sim/dram/interleave.hpp"

namespace ridgepoint::dram::testing {

// What a standard can be asked for.
inline std::vector<RefreshMode> refresh_modes(const Standard& standard) {
  std::vector<RefreshMode> modes{RefreshMode::kNone, RefreshMode::kAllBank};
  if (standard.per_bank_refresh) modes.push_back(RefreshMode::kPerBank);
  if (standard.same_bank_refresh) modes.push_back(RefreshMode::kSameBank);
  return modes;
}

struct Access {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool is_write = false;
};
using Pattern = std::vector<Access>;

inline Pattern sequential(std::uint64_t bytes, std::uint32_t piece, int write_every = 0) {
  Pattern pattern;
  for (std::uint64_t at = 0; at < bytes; at += piece) {
    const auto index = static_cast<int>(pattern.size());
    pattern.push_back({at, piece, write_every > 0 && index % write_every == write_every - 1});
  }
  return pattern;
}

inline Pattern strided(std::uint64_t count, std::uint64_t stride, std::uint32_t piece) {
  Pattern pattern;
  for (std::uint64_t index = 0; index < count; ++index) pattern.push_back({index * stride, piece});
  return pattern;
}

inline Pattern uniform(std::uint64_t count, std::uint64_t space, std::uint32_t piece,
                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Pattern pattern;
  for (std::uint64_t index = 0; index < count; ++index) {
    pattern.push_back({random() % (space / piece) * piece, piece});
  }
  return pattern;
}

// `streams` readers in round robin, `piece` bytes each, through pages at random places.
inline Pattern paged(int streams, std::uint64_t page, std::uint32_t piece, std::uint64_t bytes,
                     std::uint64_t space, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> base(static_cast<std::size_t>(streams));
  Pattern pattern;
  for (std::uint64_t step = 0; pattern.size() * piece < bytes; ++step) {
    for (std::uint64_t& start : base) {
      const std::uint64_t offset = step * piece % page;
      if (offset == 0) start = random() % (space / page) * page;
      pattern.push_back({start + offset, piece});
    }
  }
  return pattern;
}

// The part of a pattern that channel `index` sees, all of it there at time 0. Addresses beyond a
// small machine's end wrap around.
inline std::vector<core::MemoryRequest> requests_of(const Spec& spec, const Pattern& pattern,
                                                    int index) {
  const Interleave interleave(spec);
  std::vector<core::MemoryRequest> requests;
  std::vector<Piece> pieces;
  for (const Access& access : pattern) {
    pieces.clear();
    interleave.split(access.address % static_cast<std::uint64_t>(spec.total_bytes()), access.bytes,
                     pieces);
    for (const Piece& piece : pieces) {
      if (piece.channel != index) continue;
      core::MemoryRequest request;
      request.id = requests.size();
      request.address = piece.address;
      request.bytes = static_cast<std::uint32_t>(piece.bytes);
      request.is_write = access.is_write;
      requests.push_back(request);
    }
  }
  return requests;
}

struct Outcome {
  ChannelStats stats;
  Tick last_tick = 0;  // of data
  std::vector<IssuedCommand> trace;
  std::vector<core::MemoryEvent> admitted;
  std::vector<core::MemoryEvent> completed;
};

inline Outcome drive(Channel& channel, const std::vector<core::MemoryRequest>& requests,
                     bool traced = false, core::Femtoseconds step = 100'000'000) {
  Outcome outcome;
  if (traced) {
    channel.observe([&](const IssuedCommand& command) { outcome.trace.push_back(command); });
  }
  for (const core::MemoryRequest& request : requests) channel.submit(request);
  core::Femtoseconds now = 0;
  while (outcome.completed.size() < requests.size()) {
    now += step;
    channel.advance(now);
    channel.take_admitted(outcome.admitted);
    channel.take_completed(outcome.completed);
    if (now > core::kFsPerSecond) throw std::runtime_error("the channel does not finish");
  }
  for (const core::MemoryEvent& event : outcome.completed) {
    const Tick tick = channel.spec().tick_clock.first_cycle_at_or_after(event.time);
    outcome.last_tick = std::max(outcome.last_tick, tick);
  }
  outcome.stats = channel.stats();
  channel.observe({});
  return outcome;
}

// Bytes over the pins as a share of what the data bus could carry until the last data.
inline double share_of_peak(const Spec& spec, const Outcome& outcome) {
  const double bursts = static_cast<double>(outcome.stats.pin_bytes()) / spec.geometry.burst_bytes;
  return bursts * static_cast<double>(spec.timing("tBURST")) /
         (static_cast<double>(outcome.last_tick) * spec.geometry.pseudo_channels);
}

}  // namespace ridgepoint::dram::testing
