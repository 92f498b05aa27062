// SPDX-License-Identifier: Apache-2.0
// Where the recorder draws what: process and track numbers of the Chrome trace, in the order in
// which viewers show them. Private to sim/soc.
#pragma once

#include "sim/isa/command.hpp"
#include "sim/probe/chrome_trace.hpp"

namespace ridgepoint::soc {

inline constexpr std::int64_t kHostProcess = 1;
inline constexpr std::int64_t kFirstCore = 100;
inline constexpr std::int64_t kFirstChannel = 100'000;
inline constexpr std::int64_t kFirstBank = 100;

constexpr std::int64_t core_process(std::int64_t core) { return kFirstCore + core; }
constexpr std::int64_t channel_process(std::int64_t channel) { return kFirstChannel + channel; }

constexpr probe::Track state_track(std::int64_t core, isa::Engine engine) {
  return {core_process(core), 1 + 2 * static_cast<std::int64_t>(engine)};
}
// Of a DMA direction: the queue's head, cut into pieces.
constexpr probe::Track command_track(std::int64_t core, isa::Engine engine) {
  return {core_process(core), 2 + 2 * static_cast<std::int64_t>(engine)};
}
constexpr probe::Track counter_track(std::int64_t core, isa::Engine engine) {
  return {core_process(core), 20 + static_cast<std::int64_t>(engine)};
}
constexpr probe::Track bus_track(std::int64_t channel, int pc) {
  return {channel_process(channel), 1 + pc};
}
constexpr probe::Track bank_track(std::int64_t channel, int bank) {
  return {channel_process(channel), kFirstBank + bank};
}

}  // namespace ridgepoint::soc
