// SPDX-License-Identifier: Apache-2.0
// Azure LLM inference traces (Azure/AzurePublicDataset), 2023 and 2024: dates with 100 ns or 1 us
// fractions, with or without an offset, CRLF or LF, some rows without a fraction.
#include "workloads/traces/csv_rows.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr CsvTraceRows::Names kNames{"TIMESTAMP", "ContextTokens", "GeneratedTokens"};

bool matches(const std::vector<std::string>& names, bool is_json) {
  return !is_json && has_names(names, {kNames[0], kNames[1], kNames[2]});
}

void parse(const CsvTraceRows::Cells& cells, TraceRow& row) {
  row.time = parse_date_time(cells[CsvTraceRows::kTime].text, cells[CsvTraceRows::kTime].place);
  parse_lengths(cells, row);
}

std::unique_ptr<TraceRows> open(core::TextLines lines) {
  return std::make_unique<CsvTraceRows>(std::move(lines), kNames, &parse);
}

}  // namespace

const TraceFormat kAzureFormat{"azure", "TIMESTAMP,ContextTokens,GeneratedTokens",
                               "Azure/AzurePublicDataset, 2023 and 2024", &matches, &open};

}  // namespace ridgepoint::workloads
