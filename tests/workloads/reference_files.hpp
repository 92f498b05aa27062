// SPDX-License-Identifier: Apache-2.0
// The published reference results: greedy tokens of twelve prompts, and prefill logits.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/workloads/shared_files.hpp"

namespace ridgepoint::testing_files {

// Splits RFC 4180 text into records; quotes may hold commas, line breaks and doubled quotes.
inline std::vector<std::vector<std::string>> csv_records(const std::string& text) {
  std::vector<std::vector<std::string>> records{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& cell = records.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      records.back().emplace_back();
    } else if (!quoted && c == '\n') {
      records.push_back({""});
    } else if (quoted || c != '\r') {
      cell += c;
    }
  }
  if (records.back() == std::vector<std::string>{""}) records.pop_back();
  return records;
}

template <typename Number>
std::vector<Number> numbers(const std::string& text) {
  std::vector<Number> out;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end) {
    Number value{};
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) break;
    out.push_back(value);
    at = next + 1;
  }
  return out;
}

struct GreedyRow {
  std::string prompt;
  std::vector<std::int32_t> prompt_tokens;
  std::vector<std::int32_t> generated;
  std::string stop;  // "bos" or "length"
  std::string text;
};

// Line breaks in prompt and text are written \n in the file.
inline std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_break = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
    out += is_break ? '\n' : text[i];
    i += is_break ? 1 : 0;
  }
  return out;
}

inline std::vector<GreedyRow> read_greedy(const std::string& path) {
  std::vector<GreedyRow> rows;
  for (const auto& cells : csv_records(read_file(path))) {
    if (cells.size() != 9 || cells[0] == "prompt_id") continue;
    rows.push_back({unescaped(cells[1]), numbers<std::int32_t>(cells[3]),
                    numbers<std::int32_t>(cells[5]), cells[6], unescaped(cells[8])});
  }
  return rows;
}

struct LogitsRow {
  std::size_t prompt = 0;
  std::size_t position = 0;
  std::vector<float> logits;
};

inline std::vector<LogitsRow> read_logits(const std::string& path) {
  std::vector<LogitsRow> rows;
  for (const auto& cells : csv_records(read_file(path))) {
    if (cells.size() != 3 || cells[0] == "prompt_id") continue;
    rows.push_back({numbers<std::size_t>(cells[0]).at(0), numbers<std::size_t>(cells[1]).at(0),
                    numbers<float>(cells[2])});
  }
  return rows;
}

}  // namespace ridgepoint::testing_files
