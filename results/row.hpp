// SPDX-License-Identifier: Apache-2.0
// One row of a table, cell by cell. A cell that is never set stays blank: not measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/columns.hpp"
#include "sim/config/options.hpp"

namespace ridgepoint::results {

class Row {
 public:
  // Provenance, `status` = ok, and every column that an option of `options` owns
  // (OptionRow::column) are filled in.
  Row(const Table& table, const config::Options& options);

  // The column must exist and have this type, and a real must be finite: std::logic_error
  // otherwise.
  Row& set(std::string_view column, std::string_view value);
  Row& set(std::string_view column, const char* value) {
    return set(column, std::string_view(value));
  }
  Row& set(std::string_view column, std::int64_t value);
  Row& set(std::string_view column, double value);
  // status = `status`, message = `message`.
  Row& fail(std::string_view status, std::string_view message);

  const std::string& text(std::string_view column) const;
  const std::vector<std::string>& cells() const { return cells_; }

 private:
  std::size_t at(std::string_view column) const;
  std::string& cell(std::string_view column, CellType type);

  std::string_view kind_;
  std::vector<Column> columns_;
  std::vector<std::string> cells_;
};

}  // namespace ridgepoint::results
