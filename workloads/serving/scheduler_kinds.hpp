// SPDX-License-Identifier: Apache-2.0
// The rows of the scheduler table, one per implementation file.
#pragma once

#include "workloads/serving/scheduler.hpp"

namespace ridgepoint::workloads {

SchedulerKind v1_scheduler();
SchedulerKind v0_scheduler();
SchedulerKind static_scheduler();
SchedulerKind decode_priority_scheduler();
SchedulerKind shortest_job_scheduler();
SchedulerKind deadline_scheduler();

}  // namespace ridgepoint::workloads
