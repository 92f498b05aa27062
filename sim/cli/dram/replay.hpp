// SPDX-License-Identifier: Apache-2.0
// Drives every channel of a memory with its part of a source, in order and as fast as it accepts.
// Channels do not wait for each other.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "sim/cli/dram/source.hpp"
#include "sim/dram/channel.hpp"
#include "sim/dram/interleave.hpp"

namespace ridgepoint::cli {

// Ticks exactly below 128, then within 1/64.
class LatencyHistogram {
 public:
  void add(dram::Tick ticks);
  std::int64_t count() const { return count_; }
  double mean() const;
  // The smallest value that at least `share` of the entries do not exceed; 0 when empty.
  dram::Tick quantile(double share) const;
  // Every bucket with entries, in order: its least and its greatest value, and how many.
  struct Bucket {
    dram::Tick least, greatest;
    std::int64_t count;
  };
  std::vector<Bucket> buckets() const;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  dram::Tick sum_ = 0;
};

struct ReplayResult {
  dram::ChannelStats stats;  // of all channels, over the same time
  std::vector<dram::ChannelStats> channels;
  LatencyHistogram latency;     // of pieces, acceptance to last byte
  std::int64_t read_bytes = 0;  // asked for
  std::int64_t write_bytes = 0;
  std::int64_t reads = 0, writes = 0;  // requests
  core::Femtoseconds last_byte = 0;
  dram::Tick end = 0;  // all channels were simulated up to here
};

// Called now and then with the simulated time so far.
using ReplayProgress = std::function<void(core::Femtoseconds)>;
using ChannelObserver = std::function<void(int channel, const dram::IssuedCommand&)>;

// `source` is read to its end. `outstanding`: pieces in flight per channel, 0: what its queues and
// a short input take.
ReplayResult replay(std::shared_ptr<const dram::Spec> spec, Source& source, int outstanding,
                    const ChannelObserver& observer, const ReplayProgress& progress = {});

}  // namespace ridgepoint::cli
