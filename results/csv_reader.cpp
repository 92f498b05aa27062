// SPDX-License-Identifier: Apache-2.0
#include "results/csv_reader.hpp"

#include "sim/config/number.hpp"
#include "sim/config/suggest.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {

CsvReader::CsvReader(const std::string& path) : table_(path) {}

std::size_t CsvReader::column(std::string_view name) const {
  const int at = table_.find(name);
  if (at < 0) {
    std::string all;
    for (const std::string& one : header()) all += (all.empty() ? "" : ", ") + one;
    core::fail_input({table_.name(), 1, 0}, std::string(name), "",
                     config::with_suggestion("is a missing column", name, header()), all);
  }
  return static_cast<std::size_t>(at);
}

bool CsvReader::next() { return table_.next(cells_); }

std::vector<std::string> CsvReader::texts() const {
  std::vector<std::string> texts;
  for (const core::CsvCell& cell : cells_) texts.push_back(cell.text);
  return texts;
}

const std::string& CsvReader::text(std::string_view column_name) const {
  return cells_[column(column_name)].text;
}

std::optional<std::int64_t> CsvReader::integer(std::string_view column_name) const {
  const std::string& cell = text(column_name);
  if (cell.empty()) return std::nullopt;
  std::string why;
  const auto value = config::parse_integer(cell, why);
  if (!value) fail(column_name, why, "an integer, or blank");
  return value;
}

std::optional<double> CsvReader::real(std::string_view column_name) const {
  const std::string& cell = text(column_name);
  if (cell.empty()) return std::nullopt;
  std::string why;
  const auto value = config::parse_real(cell, why);
  if (!value) fail(column_name, why, "a number, or blank");
  return value;
}

void CsvReader::fail(std::string_view column_name, const std::string& what,
                     const std::string& accepted) const {
  const core::CsvCell& cell = cells_[column(column_name)];
  core::fail_input(table_.at(cell.column), std::string(column_name), cell.text, what, accepted);
}

}  // namespace ridgepoint::results
