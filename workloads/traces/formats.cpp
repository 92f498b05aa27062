// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/formats.hpp"

#include "workloads/traces/json_rows.hpp"

namespace ridgepoint::workloads {

std::vector<const TraceFormat*> trace_formats() {
  return {&kAzureFormat, &kBurstGptFormat, &kMooncakeFormat, &kBailianFormat, &kVidurFormat};
}

const TraceFormat& detect_format(core::TextLines& lines, std::string_view name) {
  std::string names;
  for (const TraceFormat* format : trace_formats()) {
    if (format->name == name) return *format;
    if (!names.empty()) names += ", ";
    names += format->name;
  }
  if (name != "auto") {
    core::fail_input({}, "--trace-format", std::string(name), "unknown trace format",
                     "auto, " + names);
  }
  std::string_view line;
  if (!lines.peek(line)) {
    core::fail_input({lines.name()}, "", "", "empty trace", "one of the formats " + names);
  }
  const bool is_json = !line.empty() && line.front() == '{';
  std::vector<std::string> columns;
  if (is_json) {
    columns = json_keys(line);
  } else {
    std::vector<core::CsvCell> cells;
    core::split_csv(line, {lines.name(), 1, 1}, cells);
    for (core::CsvCell& cell : cells) columns.push_back(std::move(cell.text));
  }
  for (const TraceFormat* format : trace_formats()) {
    if (format->matches(columns, is_json)) return *format;
  }
  std::string accepted;
  for (const TraceFormat* format : trace_formats()) {
    if (!accepted.empty()) accepted += " or ";
    accepted += format->columns;
  }
  core::fail_input({lines.name(), 1, 1}, "", std::string(line), "not a known trace header",
                   accepted);
}

}  // namespace ridgepoint::workloads
