// SPDX-License-Identifier: Apache-2.0
// What the rest of the machine sees of one DRAM channel: a MemoryPort with statistics and an
// optional command trace. Which controller is behind it is a matter of the Config.
#pragma once

#include <functional>
#include <memory>

#include "sim/core/memory_port.hpp"
#include "sim/dram/spec.hpp"
#include "sim/dram/stats.hpp"

namespace ridgepoint::dram {

struct IssuedCommand {
  Tick tick = 0;
  Command command = Command::kAct;
  int pc = 0;
  int sid = 0;
  int bg = -1;    // -1 for commands that address a stack id or the same bank of every bank group
  int bank = -1;  // -1 for commands that address a stack id
  std::int64_t row = -1;
  int column = -1;
  friend bool operator==(const IssuedCommand&, const IssuedCommand&) = default;
};
using CommandObserver = std::function<void(const IssuedCommand&)>;

// Requests address the channel's own bytes, [0, Geometry::channel_bytes()); ids are unique per
// source among requests in flight. A request is split into bursts as queue entries become free, in
// order of (arrival, source, id); it is admitted when its last burst has entered the queues, and
// completed at the end of its last burst's data. Partial bursts cost a whole one (writes are
// masked). A read of a burst that waits in the write queue is answered from there one tick later;
// a write to a burst that a queued read still wants waits at the input until that read has gone.
class Channel : public core::MemoryPort {
 public:
  // Up to the last advance(). Idle refreshes up to there are included.
  virtual ChannelStats stats() const = 0;
  // Called for every command in order of tick, row command before column command. Empty: none.
  virtual void observe(CommandObserver observer) = 0;
  virtual const Spec& spec() const = 0;
  // A channel of the same Spec as this one was when it was made.
  virtual std::unique_ptr<Channel> another() const = 0;
};

// Validates the configuration; channel_index is below stacks x channels per stack.
std::unique_ptr<Channel> make_channel(const Config& config, int channel_index);
// As above with a Spec that the caller shares among channels.
std::unique_ptr<Channel> make_channel(std::shared_ptr<const Spec> spec, int channel_index);

}  // namespace ridgepoint::dram
