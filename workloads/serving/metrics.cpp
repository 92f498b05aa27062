// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/metrics.hpp"

namespace ridgepoint::workloads {
namespace {

double ratio(WideInteger part, WideInteger whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double ServingSummary::output_tokens_per_s() const {
  return ratio(static_cast<WideInteger>(output_tokens) * kNsPerSecond, makespan);
}
double ServingSummary::goodput_per_s() const {
  return ratio(static_cast<WideInteger>(good) * kNsPerSecond, makespan);
}
double ServingSummary::running_mean() const { return ratio(running_ns, makespan); }
double ServingSummary::running_mean_full() const { return ratio(full_running_ns, full_ns); }
double ServingSummary::ttft_queued_ratio() const {
  return ttft.count() == 0 ? 0
                           : static_cast<double>(ttft_queued_ns) /
                                 (ttft.mean() * static_cast<double>(ttft.count()));
}
double ServingSummary::longest_reserved_ratio() const {
  return ratio(used_slots, static_cast<WideInteger>(output_tokens) * longest);
}
double ServingSummary::kv_used_ratio() const { return ratio(used_slots, allocated_slots); }

}  // namespace ridgepoint::workloads
