// SPDX-License-Identifier: Apache-2.0
#include "results/row.hpp"

#include <cmath>
#include <stdexcept>

#include "sim/config/build_info.hpp"
#include "sim/config/number.hpp"

namespace ridgepoint::results {

Row::Row(const Table& table, const config::Options& options)
    : kind_(table.kind), columns_(all_columns(table)), cells_(columns_.size()) {
  const std::string_view maker = table.made_by.empty() ? table.kind : table.made_by;
  for (const config::OptionRef& option : config::all_options()) {
    if (!config::used_by(option, maker)) continue;
    const std::string column = config::column_of(*option.row);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      // machine.name and run.machine share a column; the name is the later row and wins.
      if (columns_[i].name == column) cells_[i] = options.text(option.row->key);
    }
  }
  set("schema", schema_of(table));
  set("tool_version", config::build_info().version);
  set("git_commit", config::build_info().git_commit);
  set("config_sha256", options.sha256());
  set("status", "ok");
}

std::size_t Row::at(std::string_view column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == column) return i;
  }
  throw std::logic_error("no column '" + std::string(column) + "' in table '" + std::string(kind_) +
                         '\'');
}

std::string& Row::cell(std::string_view column, CellType type) {
  const std::size_t index = at(column);
  if (columns_[index].type != type) {
    throw std::logic_error("column '" + std::string(column) + "' has another type");
  }
  return cells_[index];
}

Row& Row::set(std::string_view column, std::string_view value) {
  cell(column, CellType::kText) = value;
  return *this;
}

Row& Row::set(std::string_view column, std::int64_t value) {
  cell(column, CellType::kInteger) = std::to_string(value);
  return *this;
}

Row& Row::set(std::string_view column, double value) {
  if (!std::isfinite(value)) {
    throw std::logic_error("column '" + std::string(column) + "' would not be finite");
  }
  cell(column, CellType::kReal) = config::format_real(value);
  return *this;
}

Row& Row::fail(std::string_view status, std::string_view message) {
  return set("status", status).set("message", message);
}

const std::string& Row::text(std::string_view column) const { return cells_[at(column)]; }

}  // namespace ridgepoint::results
