// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/trace_options.hpp"

#include <cmath>

#include "workloads/traces/open.hpp"
#include "workloads/traces/transform.hpp"

namespace ridgepoint::cli {
namespace {

workloads::Nanoseconds nanoseconds(double seconds) {
  return std::llround(seconds * static_cast<double>(workloads::kNsPerSecond));
}

std::unique_ptr<workloads::TraceSource> range_of(const config::Options& options,
                                                 const std::string& name) {
  workloads::TraceReadOptions read;
  read.format = options.text("trace.format");
  read.skip_bad_rows = options.enabled("trace.skip_bad_rows");
  workloads::TraceRange range;
  range.skip = static_cast<std::uint64_t>(options.integer("trace.skip"));
  if (options.has("trace.count")) {
    range.count = static_cast<std::uint64_t>(options.integer("trace.count"));
  }
  range.from = nanoseconds(options.real("trace.from_s"));
  if (options.has("trace.until_s")) range.until = nanoseconds(options.real("trace.until_s"));
  return workloads::trace_range(workloads::open_trace(name, read), range);
}

}  // namespace

std::string trace_name_of(const config::Options& options) {
  return options.has("serve.trace") ? options.text("serve.trace") : "synthetic-chat";
}

std::unique_ptr<workloads::TraceSource> trace_of(const config::Options& options,
                                                 const std::string& name) {
  double factor = options.real("trace.time_scale");
  if (options.has("trace.rate")) {
    factor *= workloads::mean_rate(*range_of(options, name)) / options.real("trace.rate");
  }
  auto trace = range_of(options, name);
  return factor == 1 ? std::move(trace) : workloads::scale_time(std::move(trace), factor);
}

std::string problems_text(const workloads::TraceProblems& problems) {
  std::string text;
  if (problems.failed_requests > 0) {
    text += std::to_string(problems.failed_requests) +
            " requests that failed in the traced system are left out. ";
  }
  if (problems.skipped_rows > 0) {
    text += std::to_string(problems.skipped_rows) +
            " bad rows are left out, the first: " + problems.first_skipped;
  }
  return text;
}

}  // namespace ridgepoint::cli
