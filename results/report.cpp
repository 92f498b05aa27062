// SPDX-License-Identifier: Apache-2.0
#include "results/report.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "results/columns.hpp"
#include "results/csv_reader.hpp"
#include "sim/config/build_info.hpp"
#include "sim/config/number.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

struct Loaded {
  Cells header;
  std::vector<Cells> rows;
};

Loaded load(const std::string& path) {
  CsvReader reader(path);
  Loaded table{reader.header(), {}};
  while (reader.next()) {
    if (table.rows.size() == kMostReportRows) {
      core::fail_input({path, reader.line(), 0}, "", "", "has too many rows for a page",
                       "at most " + std::to_string(kMostReportRows));
    }
    table.rows.push_back(reader.texts());
  }
  if (table.rows.empty()) {
    core::fail_input({path, 1, 0}, "", "", "has no rows", "a table with results");
  }
  return table;
}

// "run" of a file that says "run/1"; null for tables of others.
const Table* kind_of(const Loaded& loaded) {
  const auto schema = std::find(loaded.header.begin(), loaded.header.end(), "schema");
  if (schema == loaded.header.end()) return nullptr;
  const std::string& name =
      loaded.rows.front()[static_cast<std::size_t>(schema - loaded.header.begin())];
  for (const Table& one : tables()) {
    if (schema_of(one) == name) return &one;
  }
  return nullptr;
}

bool holds_numbers(const Loaded& loaded, std::size_t column) {
  bool some = false;
  for (const Cells& row : loaded.rows) {
    if (row[column].empty()) continue;
    std::string why;
    if (!config::parse_real(row[column], why)) return false;
    some = true;
  }
  return some;
}

bool in(std::span<const Column> columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& one) { return one.name == name; });
}

Json column_json(const Loaded& loaded, const Table* kind, std::size_t at) {
  const std::string& name = loaded.header[at];
  const bool provenance = in(provenance_columns(), name) || in(closing_columns(), name);
  const std::vector<Column> known = kind ? all_columns(*kind) : std::vector<Column>{};
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Column& one) { return one.name == name; });
  const bool own = found != known.end();
  // What a kind does not know is an axis of a sweep, or the number of its point.
  const bool axis = kind != nullptr && !own && name != "point";
  Json column{{"name", name},
              {"number", own ? found->type != CellType::kText : holds_numbers(loaded, at)},
              {"key", own ? found->key : axis}};
  if (provenance || name == "point") column["provenance"] = true;
  if (own) column["meaning"] = std::string(found->meaning);
  return column;
}

Json table_json(const std::string& path) {
  const Loaded loaded = load(path);
  const Table* const kind = kind_of(loaded);
  Json table{{"file", std::filesystem::path(path).filename().string()},
             {"kind", kind ? std::string(kind->kind) : "table"},
             {"total", loaded.rows.size()}};
  const bool thin = kind != nullptr && kind->kind == "serve_steps";
  const std::size_t every =
      thin ? std::max<std::size_t>(1, (loaded.rows.size() + kMostSteps - 1) / kMostSteps) : 1;
  table["every"] = every;
  for (std::size_t i = 0; i < loaded.header.size(); ++i) {
    table["columns"].push_back(column_json(loaded, kind, i));
  }
  for (std::size_t i = 0; i < loaded.rows.size(); i += every) {
    table["rows"].push_back(loaded.rows[i]);
  }
  return table;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

void put(std::string& page, std::string_view mark, const std::string& text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string report_page(const std::vector<std::string>& paths) {
  if (paths.empty()) core::fail_input({}, "report", "", "needs files", "A.csv B.csv ...");
  Json tables = Json::array();
  for (const std::string& path : paths) tables.push_back(table_json(path));
  // Only strings hold '<'; without it no cell can end the script element.
  std::string data = tables.dump(-1, ' ', false, Json::error_handler_t::replace);
  replace_all(data, "<", "\\u003c");
  const config::BuildInfo& build = config::build_info();
  std::string script;
  for (std::size_t i = 0; i < kReportScriptCount; ++i) script += kReportScripts[i];
  std::string page(kReportPage);
  // The tables last: they may hold any text, also these marks.
  put(page, "<!--ABOUT-->",
      "Made by ridgepoint " + std::string(build.version) + ", commit " +
          std::string(build.git_commit) + ", from " + std::to_string(paths.size()) +
          (paths.size() == 1 ? " table." : " tables."));
  put(page, "/*STYLE*/", std::string(kReportStyle));
  put(page, "/*SCRIPT*/", script);
  put(page, "/*DATA*/", data);
  return page;
}

}  // namespace ridgepoint::results
