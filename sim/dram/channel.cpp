// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/channel.hpp"

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/dram/channel_base.hpp"
#include "sim/dram/event_channel.hpp"
#include "sim/dram/fast_channel.hpp"
#include "sim/dram/oracle.hpp"

namespace ridgepoint::dram {
namespace {

constexpr Tick kWorthRunning = 16;

}  // namespace

void ChannelBase::advance(core::Femtoseconds until) {
  if (until <= until_) return;
  until_ = until;
  const Tick end = spec_->tick_clock.first_cycle_at_or_after(until);
  if (end > now_) {
    run(now_, end);
    now_ = end;
  }
  known_until_ = std::max(known_until_, until);
}

void ChannelBase::run_ahead(core::Femtoseconds until) {
  advance(until);
  const Tick ahead = sheltered();
  if (ahead < kWorthRunning) return;
  run(now_, now_ + ahead);
  now_ += ahead;
  known_until_ = std::max(known_until_, spec_->tick_clock.time_of(now_));
}

// For so many ticks what waits in front of the queues keeps out whatever arrives from now on: a
// pseudo-channel makes room for one burst per slot of its data bus. Writes are left out, because a
// read that is answered by one needs no room.
Tick ChannelBase::sheltered() const {
  const std::int64_t free = room();
  if (free < 0) return 0;
  const std::int64_t waiting = intake_.waiting_bursts(until_) - free;
  const std::int64_t slots = waiting / spec_->geometry.pseudo_channels - 1;
  return slots * slot_;
}

core::Femtoseconds ChannelBase::next_event() const {
  if (intake_.idle()) return intake_.next_completion();
  Tick next = std::max(now_, next_tick());
  // A request submitted since the last advance() is not in next_tick() yet.
  if (const Tick arrival = intake_.next_arrival(); arrival >= now_) next = std::min(next, arrival);
  return std::min(intake_.next_completion(), spec_->tick_clock.time_of(next));
}

std::unique_ptr<Channel> make_channel(const Config& config, int channel_index) {
  return make_channel(std::make_shared<const Spec>(resolve(config)), channel_index);
}

std::unique_ptr<Channel> make_channel(std::shared_ptr<const Spec> spec, int channel_index) {
  if (channel_index < 0 || channel_index >= spec->channels) {
    core::fail_input({}, "channel", std::to_string(channel_index), "does not exist",
                     "0.." + std::to_string(spec->channels - 1));
  }
  if (spec->config.controller == ControllerKind::kOracle) {
    return std::make_unique<OracleChannel>(std::move(spec));
  }
  if (spec->config.controller == ControllerKind::kFast) {
    return std::make_unique<FastChannel>(std::move(spec));
  }
  return std::make_unique<EventChannel>(std::move(spec));
}

}  // namespace ridgepoint::dram
