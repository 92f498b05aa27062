// SPDX-License-Identifier: Apache-2.0
// `compare`: result tables side by side, for people and as a gate against regressions.
#include "results/compare.hpp"

#include <algorithm>
#include <cmath>

#include "results/csv_writer.hpp"
#include "results/text_table.hpp"
#include "sim/cli/commands.hpp"
#include "sim/config/number.hpp"

namespace ridgepoint::cli {
namespace {

using results::TextRow;

// "2%" or "0.02", as a fraction; negative if there is no limit.
double limit_of(const config::Options& options) {
  if (!options.has("compare.fail_above")) return -1;
  std::string text = options.text("compare.fail_above");
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  std::string why;
  const auto value = config::parse_real(text, why);
  if (!value || *value < 0) {
    options.fail("compare.fail_above", "is no limit", "a fraction (0.02) or a percentage (2%)");
  }
  return percent ? *value / 100 : *value;
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? config::format_real(*ratio) : "";
}

// "+1.25%": two digits, enough for people; the CSV has the exact ratio.
std::string change_text(const std::optional<double>& ratio) {
  if (!ratio) return "";
  const double hundredths = std::round((*ratio - 1) * 1e4);
  std::string text = config::format_real(std::abs(hundredths) / 100);
  if (text.find('e') == std::string::npos) {
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos)
      text += ".00";
    else if (text.size() - dot == 2)
      text += '0';
  }
  return (hundredths < 0 ? "-" : "+") + text + '%';
}

TextRow header_for(const results::CompareResult& result, std::size_t files, bool for_people) {
  TextRow header = result.key_names;
  header.push_back("column");
  for (std::size_t i = 1; i <= files; ++i) header.push_back("value_" + std::to_string(i));
  for (std::size_t i = 2; i <= files; ++i) {
    header.push_back((for_people ? "change_" : "ratio_") + std::to_string(i));
  }
  return header;
}

std::vector<TextRow> rows_for(const results::CompareResult& result, bool for_people) {
  std::vector<TextRow> rows;
  for (const results::Comparison& one : result.rows) {
    TextRow row = one.key;
    row.push_back(one.column);
    row.insert(row.end(), one.values.begin(), one.values.end());
    for (const auto& ratio : one.ratios) {
      row.push_back(for_people ? change_text(ratio) : ratio_text(ratio));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Key columns with one value everywhere stand once above the table for people. Returns that line.
std::string take_out_constants(TextRow& header, std::vector<TextRow>& rows, std::size_t keys) {
  std::string line;
  for (std::size_t i = keys; i-- > 0;) {
    const auto same = [&](const TextRow& row) { return row[i] == rows.front()[i]; };
    if (rows.empty() || !std::all_of(rows.begin(), rows.end(), same)) continue;
    if (!rows.front()[i].empty()) {
      line = header[i] + '=' + rows.front()[i] + (line.empty() ? "" : ", ") + line;
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    header.erase(header.begin() + at);
    for (TextRow& row : rows) row.erase(row.begin() + at);
  }
  return line.empty() ? line : line + "\n\n";
}

void write(const Context& context, const results::CompareResult& result) {
  const std::size_t files = context.arguments.size();
  const std::string& path = context.options.text("general.csv");
  const std::string& format = context.options.text("compare.format");
  if (format == "csv" || !path.empty()) {
    results::TableWriter writer(header_for(result, files, false), path, context.out);
    for (const TextRow& row : rows_for(result, false)) writer.add(row);
    writer.finish();
  }
  if (format == "csv") return;
  TextRow header = header_for(result, files, true);
  std::vector<TextRow> rows = rows_for(result, true);
  context.out << take_out_constants(header, rows, result.key_names.size());
  context.out << (format == "markdown" ? results::markdown_table(header, rows)
                                       : results::aligned_table(header, rows));
}

}  // namespace

int compare_command(const Context& context) {
  const config::Options& options = context.options;
  const double limit = limit_of(options);
  const results::CompareResult result = results::compare_tables(
      {context.arguments, config::split_words(options.text("compare.keys"), ','),
       config::split_words(options.text("compare.columns"), ',')});
  write(context, result);
  for (const std::string& text : result.missing) context.say(text);
  if (limit < 0) return 0;
  if (!result.missing.empty()) {
    throw core::CheckError(std::to_string(result.missing.size()) +
                           " rows have no partner: " + result.missing.front());
  }
  for (const results::Comparison& one : result.rows) {
    for (std::size_t i = 0; i < one.ratios.size(); ++i) {
      const bool blank = one.values[0].empty() && one.values[i + 1].empty();
      if (blank || (one.ratios[i] && std::abs(*one.ratios[i] - 1) <= limit)) continue;
      throw core::CheckError("'" + one.column + "' went from " + one.values[0] + " to " +
                             one.values[i + 1] + " (" + change_text(one.ratios[i]) +
                             "), which is above " + options.text("compare.fail_above"));
    }
  }
  return 0;
}

}  // namespace ridgepoint::cli
