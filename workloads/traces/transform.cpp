// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/transform.hpp"

#include <cmath>
#include <string>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

class RangeTrace final : public TraceSource {
 public:
  RangeTrace(std::unique_ptr<TraceSource> source, const TraceRange& range)
      : source_(std::move(source)), range_(range) {}

  bool next(TraceRequest& request) override {
    while (given_ < range_.count && source_->next(request)) {
      if (seen_++ < range_.skip || request.arrival < range_.from) continue;
      if (request.arrival >= range_.until) break;
      if (given_++ == 0) first_ = request.arrival;
      request.arrival -= first_;
      return true;
    }
    if (given_ == 0) {
      throw core::InputError("the trace range holds none of the " + std::to_string(seen_) +
                             " requests read; accepted: a smaller --skip-requests or --from-s, or "
                             "a larger --until-s");
    }
    return false;
  }

  const TraceProblems& problems() const override { return source_->problems(); }

 private:
  std::unique_ptr<TraceSource> source_;
  TraceRange range_;
  std::uint64_t seen_ = 0;
  std::uint64_t given_ = 0;
  Nanoseconds first_ = 0;
};

class ScaledTrace final : public TraceSource {
 public:
  ScaledTrace(std::unique_ptr<TraceSource> source, double factor)
      : source_(std::move(source)), factor_(factor) {}

  bool next(TraceRequest& request) override {
    if (!source_->next(request)) return false;
    const double scaled = static_cast<double>(request.arrival) * factor_;
    if (scaled >= 9.2e18) {
      throw core::InputError(
          "scaled trace is longer than 292 years; accepted: a higher --rate or a smaller "
          "--time-scale");
    }
    request.arrival = std::llround(scaled);
    return true;
  }

  const TraceProblems& problems() const override { return source_->problems(); }

 private:
  std::unique_ptr<TraceSource> source_;
  double factor_;
};

class EveryNth final : public TraceSource {
 public:
  EveryNth(std::unique_ptr<TraceSource> source, std::uint64_t n, std::uint64_t offset)
      : source_(std::move(source)), n_(n), offset_(offset) {}
  bool next(TraceRequest& request) override {
    while (source_->next(request)) {
      if (number_++ % n_ == offset_) return true;
    }
    return false;
  }
  const TraceProblems& problems() const override { return source_->problems(); }

 private:
  std::unique_ptr<TraceSource> source_;
  std::uint64_t n_;
  std::uint64_t offset_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> trace_range(std::unique_ptr<TraceSource> source,
                                         const TraceRange& range) {
  return std::make_unique<RangeTrace>(std::move(source), range);
}

std::unique_ptr<TraceSource> scale_time(std::unique_ptr<TraceSource> source, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) {
    core::fail_input({}, "--time-scale", std::to_string(factor), "out of range", "more than 0");
  }
  return std::make_unique<ScaledTrace>(std::move(source), factor);
}

std::unique_ptr<TraceSource> every_nth(std::unique_ptr<TraceSource> source, std::uint64_t n,
                                       std::uint64_t offset) {
  return std::make_unique<EveryNth>(std::move(source), n, offset);
}

double mean_rate(TraceSource& source) {
  TraceRequest request;
  std::uint64_t requests = 0;
  while (source.next(request)) ++requests;
  if (requests < 2 || request.arrival == 0) {
    throw core::InputError("a trace whose requests all arrive at once has no rate to scale");
  }
  return static_cast<double>(requests - 1) * 1e9 / static_cast<double>(request.arrival);
}

}  // namespace ridgepoint::workloads
