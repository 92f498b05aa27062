// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/channel.hpp"

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/dram/channel_base.hpp"
#include "sim/dram/event_channel.hpp"
#include "sim/dram/oracle.hpp"

namespace ridgepoint::dram {

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
  return std::make_unique<EventChannel>(std::move(spec));
}

}  // namespace ridgepoint::dram
