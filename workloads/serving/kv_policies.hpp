// SPDX-License-Identifier: Apache-2.0
// The rows of the policy table, one per implementation file.
#pragma once

#include "workloads/serving/kv_memory.hpp"

namespace ridgepoint::workloads {

KvPolicy paged_policy();
KvPolicy max_length_policy();
KvPolicy power_of_two_policy();
KvPolicy oracle_policy();

}  // namespace ridgepoint::workloads
