// SPDX-License-Identifier: Apache-2.0
#include "results/text_table.hpp"

#include <algorithm>

#include "sim/config/number.hpp"

namespace ridgepoint::results {
namespace {

// Terminal columns: every byte that does not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool is_number(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string why;
  return config::parse_real(text, why).has_value();
}

// Numbers and blanks, and not only blanks.
bool is_numeric(std::span<const TextRow> rows, std::size_t column) {
  bool some = false;
  for (const TextRow& row : rows) {
    if (row[column].empty()) continue;
    if (!is_number(row[column])) return false;
    some = true;
  }
  return some;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::string aligned_table(const TextRow& header, std::span<const TextRow> rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::size_t width = width_of(header[i]);
    for (const TextRow& row : rows) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
    right.push_back(is_numeric(rows, i));
  }
  std::string text;
  const auto add = [&](const TextRow& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], right[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  add(header);
  for (const TextRow& row : rows) add(row);
  return text;
}

std::string markdown_table(const TextRow& header, std::span<const TextRow> rows) {
  std::string text;
  const auto add = [&](const TextRow& row) {
    text += '|';
    for (const std::string& cell : row) {
      std::string escaped;
      for (const char c : cell) {
        if (c == '|') escaped += '\\';
        escaped += c;
      }
      text += ' ' + escaped + " |";
    }
    text += '\n';
  };
  add(header);
  text += '|';
  for (std::size_t i = 0; i < header.size(); ++i) text += is_numeric(rows, i) ? "---:|" : "---|";
  text += '\n';
  for (const TextRow& row : rows) add(row);
  return text;
}

}  // namespace ridgepoint::results
