// SPDX-License-Identifier: Apache-2.0
#include "results/columns.hpp"

#include <array>
#include <stdexcept>

#include "results/column_tables.hpp"

namespace ridgepoint::results {
namespace {

constexpr Column kProvenance[] = {
    {"schema", CellType::kText, "kind of the table and its version"},
    {"tool_version", CellType::kText, "version of ridgepoint"},
    {"git_commit", CellType::kText, "source it was built from; -dirty: with uncommitted changes"},
    {"config_sha256", CellType::kText,
     "SHA-256 of every option that decides the row; files count by their path"},
    {"seed", CellType::kInteger, "seed of every random choice"},
};

constexpr Column kClosing[] = {
    {"status", CellType::kText, "ok, or what failed: input, simulation, crash, timeout"},
    {"message", CellType::kText, "why it failed"},
};

// Longest first where one ends in another.
constexpr std::array<std::string_view, 19> kUnits{"pj_per_bit",
                                                  "flop_per_byte",
                                                  "tokens_per_s",
                                                  "requests_per_s",
                                                  "gb_per_s",
                                                  "tflop_per_s",
                                                  "bytes_per_token",
                                                  "bytes_per_request",
                                                  "cycles",
                                                  "flops",
                                                  "bytes",
                                                  "gib",
                                                  "ratio",
                                                  "count",
                                                  "ms",
                                                  "us",
                                                  "ns",
                                                  "pj",
                                                  "s"};

}  // namespace

std::span<const Column> provenance_columns() { return kProvenance; }
std::span<const Column> closing_columns() { return kClosing; }

std::span<const Table> tables() {
  // clang-format off
  static const std::vector<Table> all{
      run_table(),
      kernels_table(),
      generate_table(),
      plan_table(),
      serve_table(),
      capacity_table(),
      serve_requests_table(),
      serve_steps_table(),
      trace_table(),
      dram_table(),
      validate_table(),
      validate_summary_table(),
      bench_table(),
  };
  // clang-format on
  return all;
}

const Table& table(std::string_view kind) {
  for (const Table& one : tables()) {
    if (one.kind == kind) return one;
  }
  throw std::logic_error("no table of kind '" + std::string(kind) + "'");
}

std::vector<Column> all_columns(const Table& table) {
  std::vector<Column> columns(kProvenance, kProvenance + std::size(kProvenance));
  columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  columns.insert(columns.end(), kClosing, kClosing + std::size(kClosing));
  return columns;
}

std::string schema_of(const Table& table) {
  return std::string(table.kind) + '/' + std::to_string(table.version);
}

std::string_view unit_of(std::string_view column) {
  for (const std::string_view unit : kUnits) {
    if (column == unit) return unit;
    if (column.size() > unit.size() && column.ends_with(unit) &&
        column[column.size() - unit.size() - 1] == '_') {
      return unit;
    }
  }
  return {};
}

}  // namespace ridgepoint::results
