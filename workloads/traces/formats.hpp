// SPDX-License-Identifier: Apache-2.0
// The published trace formats: one file each, one row in the table below. A format is recognised
// by its header (CSV) or by the keys of its first line (JSON lines).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/text_lines.hpp"
#include "workloads/traces/trace.hpp"

namespace ridgepoint::workloads {

// A row as the file has it: times are absolute, order is not yet checked.
struct TraceRow {
  Nanoseconds time = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::vector<std::uint64_t> block_ids;
  std::int64_t block_tokens = 0;
  bool failed = false;            // the trace says that this request failed
  std::uint64_t time_column = 0;  // where the time stands, for messages
};

class TraceRows {
 public:
  virtual ~TraceRows() = default;
  // False at the end. InputError for a bad row (next() may be called again);
  // core::UnreadableError when there is no going on.
  virtual bool next(TraceRow& row) = 0;
  virtual core::Location at(std::uint64_t column) const = 0;  // in the line last read
};

struct TraceFormat {
  std::string_view name;
  std::string_view columns;  // what its header or first line holds
  std::string_view source;   // who publishes it
  // `first_line` is a CSV header (split into names) or a JSON line (its top-level keys).
  bool (*matches)(const std::vector<std::string>& names, bool is_json);
  std::unique_ptr<TraceRows> (*open)(core::TextLines lines);
};

extern const TraceFormat kAzureFormat;
extern const TraceFormat kBurstGptFormat;
extern const TraceFormat kVidurFormat;
extern const TraceFormat kMooncakeFormat;
extern const TraceFormat kBailianFormat;
std::vector<const TraceFormat*> trace_formats();

// The format of these lines, by name or (name "auto") from the first line. InputError if unknown.
const TraceFormat& detect_format(core::TextLines& lines, std::string_view name);

}  // namespace ridgepoint::workloads
