// SPDX-License-Identifier: Apache-2.0
// The column table: every column of every kind of table, its type and its meaning. The unit is the
// end of the name (_ns, _bytes, _ratio, ...). Rows live in columns_<kind>.cpp; a Row fills them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::results {

enum class CellType : std::uint8_t { kText, kInteger, kReal };

struct Column {
  std::string_view name;  // snake_case with a unit suffix where there is a unit
  CellType type = CellType::kText;
  std::string_view meaning{};
  bool key = false;  // together the key columns name a row: compare aligns on them
};

struct Table {
  std::string_view kind;      // "run": also the subcommand, and the first half of `schema`
  std::uint32_t version = 1;  // raised when a column changes its meaning or leaves
  std::string_view title;
  std::span<const Column> columns;  // without provenance and closing columns
  std::string_view made_by{};       // the subcommand whose options fill its columns, if not `kind`
};

// schema, tool_version, git_commit, config_sha256, seed: lead every row.
std::span<const Column> provenance_columns();
// status, message: close every row. status is "ok" or what failed.
std::span<const Column> closing_columns();

std::span<const Table> tables();
// Throws std::logic_error on a kind that is not in the table.
const Table& table(std::string_view kind);
// Leading, own and closing columns, in file order.
std::vector<Column> all_columns(const Table& table);
// "run/1"
std::string schema_of(const Table& table);
// The unit a name ends in ("ns", "bytes", ...); empty if it has none.
std::string_view unit_of(std::string_view column);

}  // namespace ridgepoint::results
