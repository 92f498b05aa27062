// SPDX-License-Identifier: Apache-2.0
// Opens a trace by name: a built-in synthetic one, or a file in any of the known formats.
#pragma once

#include <memory>
#include <string>

#include "sim/core/text_lines.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

struct TraceReadOptions {
  std::string format = "auto";  // or a name of trace_formats()
  // Bad rows are counted and left out instead of ending the run. Never the default.
  bool skip_bad_rows = false;
};

// `name` is a built-in trace's name or a path. Streams: memory does not grow with the file. Throws
// InputError for an unknown or empty file; next() throws it for a bad row or a time that goes back.
std::unique_ptr<TraceSource> open_trace(const std::string& name,
                                        const TraceReadOptions& options = {});
std::unique_ptr<TraceSource> open_trace_lines(core::TextLines lines,
                                              const TraceReadOptions& options = {});

}  // namespace ridgepoint::workloads
