// SPDX-License-Identifier: Apache-2.0
#include "results/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/columns.hpp"
#include "results/csv_reader.hpp"
#include "sim/config/number.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

using Names = std::vector<std::string>;

struct LoadedRow {
  Names key;
  Names values;  // of the compared columns
};

struct Loaded {
  std::vector<LoadedRow> rows;
  std::map<Names, std::size_t> by_key;
};

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool in(std::span<const Column> columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& one) { return one.name == name; });
}

// The kind a file says it is ("run/1" -> run); null for other files.
const Table* kind_of(const std::string& path) {
  CsvReader reader(path);
  if (!reader.has_column("schema") || !reader.next()) return nullptr;
  const std::string& schema = reader.text("schema");
  for (const Table& one : tables()) {
    if (schema_of(one) == schema) return &one;
  }
  return nullptr;
}

// A table's own key columns and the axes of a sweep, which its kind does not know.
Names keys_of(const std::string& path, const Names& header) {
  const Table* const table = kind_of(path);
  if (table == nullptr) {
    core::fail_input({path, 1, 0}, "schema", "", "is missing or unknown",
                     "a table of ridgepoint, or --keys with the columns that name a row");
  }
  Names keys;
  for (const std::string& name : header) {
    const auto known = std::find_if(table->columns.begin(), table->columns.end(),
                                    [&](const Column& one) { return one.name == name; });
    const bool own = known != table->columns.end();
    const bool axis =
        !own && name != "point" && !in(provenance_columns(), name) && !in(closing_columns(), name);
    if ((own && known->key) || axis) keys.push_back(name);
  }
  return keys;
}

bool is_number(const std::string& text) {
  std::string why;
  return config::parse_real(text, why).has_value();
}

// Columns that hold a number somewhere and nothing but numbers and blanks.
Names number_columns(const std::string& path, const Names& keys) {
  CsvReader reader(path);
  std::vector<bool> numbers(reader.header().size(), true);
  std::vector<bool> some(reader.header().size(), false);
  while (reader.next()) {
    const Names cells = reader.texts();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      numbers[i] = numbers[i] && is_number(cells[i]);
      some[i] = true;
    }
  }
  Names names;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string& name = reader.header()[i];
    const bool other = contains(keys, name) || name == "point" || in(provenance_columns(), name) ||
                       in(closing_columns(), name);
    if (numbers[i] && some[i] && !other) names.push_back(name);
  }
  return names;
}

std::string shown_key(const Names& names, const Names& key) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : ", ") + names[i] + '=' + key[i];
  }
  return text;
}

Loaded load(const std::string& path, const Names& keys, const Names& columns) {
  CsvReader reader(path);
  for (const Names* names : {&keys, &columns}) {
    for (const std::string& name : *names) reader.column(name);
  }
  Loaded loaded;
  while (reader.next()) {
    if (reader.has_column("status") && reader.text("status") != "ok") continue;
    LoadedRow row;
    for (const std::string& name : keys) row.key.push_back(reader.text(name));
    for (const std::string& name : columns) {
      reader.real(name);  // blank or a number
      row.values.push_back(reader.text(name));
    }
    if (!loaded.by_key.emplace(row.key, loaded.rows.size()).second) {
      core::fail_input({path, reader.line(), 0}, "", "",
                       "is a second row with " + shown_key(keys, row.key),
                       "--keys with columns that tell the rows apart");
    }
    loaded.rows.push_back(std::move(row));
  }
  return loaded;
}

// value / base; 1 for two zeros, infinite where only one side is there or is zero.
std::optional<double> ratio_of(const std::string& base, const std::string& value) {
  if (base.empty() || value.empty()) return std::nullopt;
  std::string why;
  const double a = config::parse_real(base, why).value_or(0);
  const double b = config::parse_real(value, why).value_or(0);
  if (a == b) return 1.0;
  if (a == 0) return std::nullopt;
  return b / a;
}

void add_comparison(CompareResult& result, const std::string& column, const Names& key,
                    Names values) {
  Comparison row{key, column, std::move(values), {}};
  for (std::size_t i = 1; i < row.values.size(); ++i) {
    const std::optional<double> ratio = ratio_of(row.values[0], row.values[i]);
    const bool blank = row.values[0].empty() && row.values[i].empty();
    const double change = ratio   ? std::abs(*ratio - 1)
                          : blank ? 0
                                  : std::numeric_limits<double>::infinity();
    result.largest_change = std::max(result.largest_change, change);
    row.ratios.push_back(ratio);
  }
  result.rows.push_back(std::move(row));
}

void note_missing(CompareResult& result, const std::string& path, const Names& key) {
  result.missing.push_back(path + " has no row " + shown_key(result.key_names, key));
}

}  // namespace

CompareResult compare_tables(const CompareRequest& request) {
  if (request.paths.size() < 2) {
    core::fail_input({}, "compare", "", "needs two files or more", "A.csv B.csv ...");
  }
  const std::string& base = request.paths.front();
  CompareResult result;
  result.key_names = request.keys.empty() ? keys_of(base, CsvReader(base).header()) : request.keys;
  const Names columns =
      request.columns.empty() ? number_columns(base, result.key_names) : request.columns;
  std::vector<Loaded> files;
  for (const std::string& path : request.paths) {
    files.push_back(load(path, result.key_names, columns));
  }
  for (const LoadedRow& row : files.front().rows) {
    std::vector<const LoadedRow*> partners;
    for (std::size_t f = 0; f < files.size(); ++f) {
      const auto found = files[f].by_key.find(row.key);
      partners.push_back(found == files[f].by_key.end() ? nullptr : &files[f].rows[found->second]);
      if (partners.back() == nullptr) note_missing(result, request.paths[f], row.key);
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Names values;
      for (const LoadedRow* partner : partners) values.push_back(partner ? partner->values[c] : "");
      add_comparison(result, columns[c], row.key, std::move(values));
    }
  }
  for (std::size_t f = 1; f < files.size(); ++f) {
    for (const LoadedRow& row : files[f].rows) {
      if (files.front().by_key.count(row.key) == 0) note_missing(result, base, row.key);
    }
  }
  return result;
}

}  // namespace ridgepoint::results
