// SPDX-License-Identifier: Apache-2.0
#include "sim/core/error.hpp"
#include "workloads/serving/scheduler_kinds.hpp"

namespace ridgepoint::workloads {

const std::vector<SchedulerKind>& schedulers() {
  static const std::vector<SchedulerKind> kinds{
      v1_scheduler(),           v0_scheduler(),
      static_scheduler(),       decode_priority_scheduler(),
      shortest_job_scheduler(), deadline_scheduler()};
  return kinds;
}

std::unique_ptr<Scheduler> make_scheduler(std::string_view name) {
  std::string names;
  for (const SchedulerKind& kind : schedulers()) {
    if (kind.name == name) return kind.make();
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  core::fail_input({}, "--scheduler", std::string(name), "unknown scheduler", names);
}

}  // namespace ridgepoint::workloads
