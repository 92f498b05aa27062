// SPDX-License-Identifier: Apache-2.0
// The trace that the options ask for: which, which part, how fast.
#pragma once

#include <memory>
#include <string>

#include "sim/config/options.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::cli {

// serve.trace, or the built-in default.
std::string trace_name_of(const config::Options& options);

// Opened, cut to the range and scaled. A given rate needs the trace's own: it is read once more.
std::unique_ptr<workloads::TraceSource> trace_of(const config::Options& options,
                                                 const std::string& name);

// A line about rows left out; empty if there are none.
std::string problems_text(const workloads::TraceProblems& problems);

}  // namespace ridgepoint::cli
