// SPDX-License-Identifier: Apache-2.0
// Views of a trace: a part of it, and the same requests faster or slower.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

struct TraceRange {
  std::uint64_t skip = 0;                                           // requests left out in front
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();  // at most this many
  Nanoseconds from = 0;  // only arrivals in [from, until)
  Nanoseconds until = kForever;
};

// Arrivals are counted anew from the first request inside the range. Throws InputError at the first
// next() if the range holds no request.
std::unique_ptr<TraceSource> trace_range(std::unique_ptr<TraceSource> source,
                                         const TraceRange& range);

// Every arrival multiplied by `factor` > 0, rounded to the nanosecond: 0.5 is twice the rate.
std::unique_ptr<TraceSource> scale_time(std::unique_ptr<TraceSource> source, double factor);

// Every n-th request, starting with number `offset` < n: one machine's part when requests go round
// `n` machines in order of arrival. An empty part has no request and is no error.
std::unique_ptr<TraceSource> every_nth(std::unique_ptr<TraceSource> source, std::uint64_t n,
                                       std::uint64_t offset);

// Requests per second of a trace: (requests - 1) / span; InputError if all arrive at once.
double mean_rate(TraceSource& source);

}  // namespace ridgepoint::workloads
