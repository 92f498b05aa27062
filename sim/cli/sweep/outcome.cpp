// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/outcome.hpp"

#include <algorithm>
#include <cstring>

#include "results/csv_writer.hpp"
#include "results/row.hpp"
#include "sim/core/text_lines.hpp"

namespace ridgepoint::cli {
namespace {

std::size_t provenance_width() { return results::provenance_columns().size(); }

std::string last_line(const std::string& text) {
  static constexpr std::string_view kPrefix = "ridgepoint: error: ";
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return {};
  const std::size_t newline = text.rfind('\n', end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  std::string line = text.substr(begin, end - begin + 1);
  if (line.starts_with(kPrefix)) line.erase(0, kPrefix.size());
  std::replace(line.begin(), line.end(), '\r', ' ');
  return line;
}

std::string status_of(const Finished& finished) {
  if (finished.timed_out) return "timeout";
  if (finished.signal != 0) return "crash";
  switch (finished.exit_code) {
    case 1:
      return "check";
    case 2:
      return "input";
    case 3:
      return "simulation";
    default:
      return "crash";
  }
}

std::string message_of(const Finished& finished) {
  const std::string line = last_line(finished.err);
  if (finished.timed_out) return "took longer than --timeout-s";
  std::string what;
  if (finished.signal != 0) what = strsignal(finished.signal);
  if (what.empty() && line.empty()) {
    what = "no row, exit code " + std::to_string(finished.exit_code);
  }
  return what.empty() || line.empty() ? what + line : what + ": " + line;
}

// The cells of the only row of a table with this header; empty if the text is anything else.
std::vector<std::string> only_row(const std::string& text, const std::vector<std::string>& header) {
  const std::string head = results::csv_line(header);
  if (!text.starts_with(head)) return {};
  const std::size_t end = text.find('\n', head.size());
  if (end == std::string::npos || end + 1 != text.size()) return {};
  std::vector<core::CsvCell> cells;
  core::split_csv(std::string_view(text).substr(head.size(), end - head.size()), {}, cells);
  std::vector<std::string> row;
  for (const core::CsvCell& cell : cells) row.push_back(cell.text);
  return row.size() == header.size() ? row : std::vector<std::string>{};
}

void insert_after_provenance(std::vector<std::string>& cells,
                             const std::vector<std::string>& inserted) {
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(provenance_width()), inserted.begin(),
               inserted.end());
}

}  // namespace

std::vector<std::string> sweep_header(const Plan& plan) {
  std::vector<std::string> header = results::header_of(results::table(plan.target));
  std::vector<std::string> own{"point"};
  for (const config::OptionRef& option : plan.extra_options()) {
    own.push_back(config::column_of(*option.row));
  }
  insert_after_provenance(header, own);
  return header;
}

std::vector<std::string> row_of(const Plan& plan, const Point& point, const Finished& finished) {
  const results::Table& table = results::table(plan.target);
  const config::Options options = options_of(plan, point);
  std::vector<std::string> cells;
  const bool ended = !finished.timed_out && finished.signal == 0 && finished.exit_code <= 1;
  if (ended) cells = only_row(finished.out, results::header_of(table));
  if (cells.empty()) {
    results::Row row(table, options);
    row.fail(status_of(finished), message_of(finished));
    cells = row.cells();
  }
  std::vector<std::string> own{std::to_string(point.index)};
  for (const config::OptionRef& option : plan.extra_options()) {
    own.push_back(options.text(option.row->key));
  }
  insert_after_provenance(cells, own);
  return cells;
}

void set_point(std::vector<std::string>& row, std::size_t index) {
  row[provenance_width()] = std::to_string(index);
}

}  // namespace ridgepoint::cli
