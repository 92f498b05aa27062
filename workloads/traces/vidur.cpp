// SPDX-License-Identifier: Apache-2.0
// Vidur request traces (microsoft/vidur): seconds and two lengths.
#include "workloads/traces/csv_rows.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr CsvTraceRows::Names kNames{"arrived_at", "num_prefill_tokens", "num_decode_tokens"};

bool matches(const std::vector<std::string>& names, bool is_json) {
  return !is_json && has_names(names, {kNames[0], kNames[1], kNames[2]});
}

void parse(const CsvTraceRows::Cells& cells, TraceRow& row) {
  const CsvTraceRows::Cell& time = cells[CsvTraceRows::kTime];
  row.time = parse_time(time.text, kNsPerSecond, time.place);
  parse_lengths(cells, row);
}

std::unique_ptr<TraceRows> open(core::TextLines lines) {
  return std::make_unique<CsvTraceRows>(std::move(lines), kNames, &parse);
}

}  // namespace

const TraceFormat kVidurFormat{"vidur", "arrived_at,num_prefill_tokens,num_decode_tokens",
                               "microsoft/vidur", &matches, &open};

}  // namespace ridgepoint::workloads
