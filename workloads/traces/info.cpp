// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/info.hpp"

#include <unordered_set>

namespace ridgepoint::workloads {

double TraceInfo::requests_per_s() const {
  if (span == 0) return 0;
  return static_cast<double>(requests - 1) * 1e9 / static_cast<double>(span);
}

double TraceInfo::shared_ratio() const {
  return blocks == 0 ? 0 : static_cast<double>(shared_blocks) / static_cast<double>(blocks);
}

TraceInfo analyse_trace(TraceSource& source) {
  TraceInfo info;
  TraceRequest request;
  std::unordered_set<std::uint64_t> seen;  // only asked for membership, never listed
  Nanoseconds last = 0;
  while (source.next(request)) {
    if (info.requests++ > 0) info.gaps_ns.add(request.arrival - last);
    last = request.arrival;
    info.prompt_tokens.add(request.prompt_tokens);
    info.output_tokens.add(request.output_tokens);
    info.prompt_sum += static_cast<double>(request.prompt_tokens);
    info.output_sum += static_cast<double>(request.output_tokens);
    info.blocks += request.block_ids.size();
    bool sharing = true;
    for (const std::uint64_t id : request.block_ids) {
      const bool known = !seen.insert(id).second;
      sharing = sharing && known;
      if (sharing) ++info.shared_blocks;
    }
  }
  info.span = last;
  info.problems = source.problems();
  return info;
}

}  // namespace ridgepoint::workloads
