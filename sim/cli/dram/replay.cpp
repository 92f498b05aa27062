// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/dram/replay.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>

#include "sim/core/error.hpp"

namespace ridgepoint::cli {

void LatencyHistogram::add(dram::Tick ticks) {
  const auto value = static_cast<std::uint64_t>(ticks);
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - 7);
  const std::size_t index = static_cast<std::size_t>(shift) * 64 + (value >> shift);
  if (index >= counts_.size()) counts_.resize(index + 1);
  ++counts_[index];
  ++count_;
  sum_ += ticks;
}

double LatencyHistogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

namespace {

dram::Tick least_of(std::size_t index) {
  const std::size_t shift = index < 128 ? 0 : index / 64 - 1;
  return static_cast<dram::Tick>((index - shift * 64) << shift);
}

}  // namespace

std::vector<LatencyHistogram::Bucket> LatencyHistogram::buckets() const {
  std::vector<Bucket> used;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    if (counts_[index] != 0)
      used.push_back({least_of(index), least_of(index + 1) - 1, counts_[index]});
  }
  return used;
}

dram::Tick LatencyHistogram::quantile(double share) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    seen += counts_[index];
    if (seen < wanted || seen == 0) continue;
    return least_of(index);
  }
  return 0;
}

namespace {

struct Part {
  std::uint64_t address = 0;  // local to the channel
  std::uint32_t bytes = 0;
  bool is_write = false;
  core::Femtoseconds time = 0;
};

// Splits the source over the channels, reading it only as far as some channel needs.
class Splitter {
 public:
  Splitter(const dram::Spec& spec, Source& source, ReplayResult& result)
      : interleave_(spec),
        source_(source),
        result_(result),
        parts_(static_cast<std::size_t>(spec.channels)) {}

  // The next part for a channel; false after its last one.
  bool next(std::size_t channel, Part& part) {
    std::deque<Part>& mine = parts_[channel];
    while (mine.empty()) {
      Access access;
      if (!source_.next(access)) return false;
      split(access);
    }
    part = mine.front();
    mine.pop_front();
    return true;
  }

 private:
  void split(const Access& access) {
    (access.is_write ? result_.writes : result_.reads) += 1;
    (access.is_write ? result_.write_bytes : result_.read_bytes) += access.bytes;
    std::uint64_t address = access.address;
    const std::uint64_t end = access.address + access.bytes;
    while (address < end) {
      const dram::Piece at = interleave_.locate(address);
      const std::uint64_t bytes = std::min(at.bytes, end - address);
      parts_[static_cast<std::size_t>(at.channel)].push_back(
          {at.address, static_cast<std::uint32_t>(bytes), access.is_write, access.time});
      address += bytes;
    }
  }

  dram::Interleave interleave_;
  Source& source_;
  ReplayResult& result_;
  std::vector<std::deque<Part>> parts_;
};

// How far a channel is simulated before its input is filled again, and how much the input holds:
// more than the pins can carry in that time.
constexpr dram::Tick kStepTicks = 256;
constexpr dram::Tick kRoundTicks = 16 * kStepTicks;
constexpr std::uint64_t kSlotMask = 0xffff;  // of an id: where the piece's acceptance is kept

class Feeder {
 public:
  Feeder(dram::Channel& channel, std::size_t index, Splitter& splitter, int outstanding,
         ReplayResult& result)
      : channel_(channel),
        index_(index),
        splitter_(splitter),
        outstanding_(outstanding),
        result_(result) {
    const dram::Spec& spec = channel.spec();
    tick_ = spec.tick_clock.time_of(1) + 1;
    step_ = outstanding > 0 ? tick_ : spec.tick_clock.time_of(kStepTicks);
    const auto drained =
        static_cast<std::uint64_t>(kStepTicks / spec.timing("tBURST") + 1) *
        static_cast<std::uint64_t>(spec.geometry.burst_bytes * spec.geometry.pseudo_channels);
    window_bytes_ = 2 * drained;
    more_ = splitter_.next(index_, part_);
  }

  // Goes on to about `until`; false when all parts are done.
  bool run(core::Femtoseconds until) {
    while (now_ < until && (more_ || in_flight_ > 0)) {
      fill();
      advance();
    }
    return more_ || in_flight_ > 0;
  }
  core::Femtoseconds now() const { return now_; }

 private:
  struct InFlight {
    std::uint32_t bytes = 0;
    core::Femtoseconds accepted = 0;
  };

  bool has_room() const {
    if (outstanding_ > 0) return in_flight_ < outstanding_;
    return waiting_bytes_ < window_bytes_ && in_flight_ < static_cast<std::int64_t>(kSlotMask);
  }

  void fill() {
    while (more_ && has_room()) {
      core::MemoryRequest request;
      request.id = (sequence_++ << 16) | take_slot();
      request.address = part_.address;
      request.bytes = part_.bytes;
      request.arrival = std::max(now_, part_.time);
      request.is_write = part_.is_write;
      slots_[request.id & kSlotMask].bytes = request.bytes;
      channel_.submit(request);
      waiting_bytes_ += request.bytes;
      waiting_arrivals_.push_back(request.arrival);
      ++in_flight_;
      more_ = splitter_.next(index_, part_);
    }
  }

  // Nothing happens before, so a long wait is one step. A part that waits for the window arrives
  // where a step ends: then steps depend on arrivals only, not on what a controller looks at.
  core::Femtoseconds next_event() const {
    if (!more_ || outstanding_ > 0) {
      const core::Femtoseconds next = channel_.next_event();
      return waiting_arrivals_.empty() ? next : std::min(next, waiting_arrivals_.front());
    }
    const bool idle = in_flight_ == static_cast<std::int64_t>(waiting_arrivals_.size());
    return idle ? waiting_arrivals_.front() : now_;
  }

  void advance() {
    const core::Femtoseconds next = next_event();
    core::Femtoseconds until = now_ + (more_ ? step_ : tick_);
    if (next != core::kNever) until = std::max(until, next + 1);
    now_ = until;
    channel_.advance(now_);
    events_.clear();
    channel_.take_admitted(events_);
    for (const core::MemoryEvent& event : events_) {
      InFlight& piece = slots_[event.id & kSlotMask];
      piece.accepted = event.time;
      waiting_bytes_ -= piece.bytes;
      waiting_arrivals_.pop_front();
    }
    events_.clear();
    channel_.take_completed(events_);
    for (const core::MemoryEvent& event : events_) complete(event);
  }

  void complete(const core::MemoryEvent& event) {
    const core::Clock& clock = channel_.spec().tick_clock;
    const std::size_t slot = event.id & kSlotMask;
    result_.latency.add(clock.first_cycle_at_or_after(event.time) -
                        clock.first_cycle_at_or_after(slots_[slot].accepted));
    result_.last_byte = std::max(result_.last_byte, event.time);
    free_.push_back(slot);
    --in_flight_;
  }

  std::size_t take_slot() {
    if (free_.empty()) {
      slots_.emplace_back();
      return slots_.size() - 1;
    }
    const std::size_t slot = free_.back();
    free_.pop_back();
    return slot;
  }

  dram::Channel& channel_;
  std::size_t index_;
  Splitter& splitter_;
  std::int64_t outstanding_;
  ReplayResult& result_;
  core::Femtoseconds tick_ = 0, step_ = 0, now_ = 0;
  std::uint64_t window_bytes_ = 0, waiting_bytes_ = 0, sequence_ = 0;
  std::deque<core::Femtoseconds> waiting_arrivals_;  // of pieces not yet accepted, in order
  std::int64_t in_flight_ = 0;
  Part part_;  // the next one, if more_
  bool more_ = false;
  std::vector<InFlight> slots_;
  std::vector<std::size_t> free_;
  std::vector<core::MemoryEvent> events_;
};

}  // namespace

ReplayResult replay(std::shared_ptr<const dram::Spec> spec, Source& source, int outstanding,
                    const ChannelObserver& observer, const ReplayProgress& progress) {
  ReplayResult result;
  Splitter splitter(*spec, source, result);
  std::vector<std::unique_ptr<dram::Channel>> channels;
  std::vector<Feeder> feeders;
  for (int index = 0; index < spec->channels; ++index) {
    channels.push_back(channels.empty() ? dram::make_channel(spec, 0) : channels[0]->another());
    feeders.emplace_back(*channels.back(), static_cast<std::size_t>(index), splitter, outstanding,
                         result);
    if (!observer) continue;
    channels.back()->observe(
        [&observer, index](const dram::IssuedCommand& command) { observer(index, command); });
  }
  // Together in time, so that no more of the source is held than channels differ in speed.
  const core::Femtoseconds round = spec->tick_clock.time_of(kRoundTicks);
  bool running = true;
  for (core::Femtoseconds until = round; running; until += round) {
    running = false;
    for (Feeder& feeder : feeders) running |= feeder.run(until);
    if (progress) progress(until);
  }
  core::Femtoseconds end = 0;
  for (const Feeder& feeder : feeders) end = std::max(end, feeder.now());
  result.end = spec->tick_clock.first_cycle_at_or_after(end);
  for (const auto& channel : channels) {
    channel->advance(end);
    result.channels.push_back(channel->stats());
    if (result.channels.size() == 1) {
      result.stats = result.channels.front();
    } else {
      result.stats += result.channels.back();
    }
  }
  return result;
}

}  // namespace ridgepoint::cli
