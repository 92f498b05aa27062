// SPDX-License-Identifier: Apache-2.0
// BurstGPT traces (HPMLL/BurstGPT). Later releases add columns in another order, so columns are
// found by name. A row with zero response tokens is a request that failed in the traced system.
#include "workloads/traces/csv_rows.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr CsvTraceRows::Names kNames{"Timestamp", "Request tokens", "Response tokens"};

bool matches(const std::vector<std::string>& names, bool is_json) {
  return !is_json && has_names(names, {kNames[0], kNames[1], kNames[2]});
}

void parse(const CsvTraceRows::Cells& cells, TraceRow& row) {
  const auto& [time, prompt, output] = cells;
  row.time = parse_time(time.text, kNsPerSecond, time.place);
  row.output_tokens = parse_integer(output.text, 0, kLargestLength, output.place);
  row.failed = row.output_tokens == 0;
  row.prompt_tokens = parse_integer(prompt.text, row.failed ? 0 : 1, kLargestLength, prompt.place);
}

std::unique_ptr<TraceRows> open(core::TextLines lines) {
  return std::make_unique<CsvTraceRows>(std::move(lines), kNames, &parse);
}

}  // namespace

const TraceFormat kBurstGptFormat{"burstgpt", "Timestamp,Request tokens,Response tokens,...",
                                  "HPMLL/BurstGPT", &matches, &open};

}  // namespace ridgepoint::workloads
