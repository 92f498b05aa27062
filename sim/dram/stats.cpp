// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/stats.hpp"

#include <algorithm>
#include <numeric>

namespace ridgepoint::dram {
namespace {

template <typename Range, typename Combine>
void combine_range(Range& a, const Range& b, Combine combine) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), combine);
}

// Channels of different sizes may be added: the shorter one counts as zeros.
template <typename Combine>
void combine_banks(std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                   Combine combine) {
  a.resize(std::max(a.size(), b.size()));
  std::transform(b.begin(), b.end(), a.begin(), a.begin(),
                 [&](std::int64_t right, std::int64_t left) { return combine(left, right); });
}

template <typename Combine>
void combine_all(ChannelStats& a, const ChannelStats& b, Combine combine) {
  combine_range(a.read_pin_bytes, b.read_pin_bytes, combine);
  combine_range(a.write_pin_bytes, b.write_pin_bytes, combine);
  combine_range(a.read_useful_bytes, b.read_useful_bytes, combine);
  combine_range(a.write_useful_bytes, b.write_useful_bytes, combine);
  combine_range(a.commands, b.commands, combine);
  combine_range(a.lost_ticks, b.lost_ticks, combine);
  combine_range(a.latency_histogram, b.latency_histogram, combine);
  combine_banks(a.bank_activations, b.bank_activations, combine);
  combine_banks(a.bank_bursts, b.bank_bursts, combine);
  for (const auto field :
       {&ChannelStats::forwarded_bursts, &ChannelStats::row_hits, &ChannelStats::row_misses,
        &ChannelStats::row_conflicts, &ChannelStats::total_ticks, &ChannelStats::busy_ticks,
        &ChannelStats::pieces, &ChannelStats::latency_ticks, &ChannelStats::queue_wait_ticks}) {
    a.*field = combine(a.*field, b.*field);
  }
}

}  // namespace

std::int64_t ChannelStats::pin_bytes() const {
  return std::accumulate(read_pin_bytes.begin(), read_pin_bytes.end(), std::int64_t{0}) +
         std::accumulate(write_pin_bytes.begin(), write_pin_bytes.end(), std::int64_t{0});
}

ChannelStats& ChannelStats::operator+=(const ChannelStats& other) {
  combine_all(*this, other, std::plus<>());
  return *this;
}

ChannelStats& ChannelStats::operator-=(const ChannelStats& other) {
  combine_all(*this, other, std::minus<>());
  return *this;
}

}  // namespace ridgepoint::dram
