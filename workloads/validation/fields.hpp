// SPDX-License-Identifier: Apache-2.0
// A CSV file of measurements, row by row, cells by column name; numbers in full or an InputError
// at their place. Internal to workloads/validation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/number.hpp"
#include "sim/core/dtype.hpp"
#include "sim/core/text_lines.hpp"

namespace ridgepoint::workloads {

class Fields {
 public:
  explicit Fields(core::TextLines lines) : cells_(std::move(lines)) {}

  bool next() { return cells_.next(values_); }
  core::Location place(std::string_view column) const {
    return cells_.at(values_[position(column)].column);
  }
  const std::string& cell(std::string_view column) const { return values_[position(column)].text; }
  const std::string& text(std::string_view column) const {
    const std::string& text = cell(column);
    if (text.empty()) fail(column, "is empty", "a name");
    return text;
  }
  std::int64_t count(std::string_view column) const {
    const std::string& cell = values_[position(column)].text;
    std::string why;
    const auto number = config::parse_integer(cell, why);
    if (!number) fail(column, why, accepted());
    if (*number < 1 || *number > kLargest) fail(column, "is out of range", accepted());
    return *number;
  }
  double microseconds(std::string_view column) const {
    std::string why;
    const auto number = config::parse_real(values_[position(column)].text, why);
    const char* const wanted = "microseconds from 1e-6 to 1e9";
    if (!number) fail(column, why, wanted);
    if (!(*number >= kShortestUs && *number <= kLongestUs)) fail(column, "is out of range", wanted);
    return *number;
  }
  core::DType dtype(std::string_view column) const {
    const std::string& cell = values_[position(column)].text;
    if (cell == "bfloat16") return core::DType::kBf16;
    if (cell == "float16") return core::DType::kFp16;
    const auto dtype = core::dtype_from_name(cell);
    if (!dtype) fail(column, "is no number format", "bfloat16, float16, " + core::dtype_names());
    return *dtype;
  }
  [[noreturn]] void fail(std::string_view column, const std::string& what,
                         const std::string& wanted) const {
    core::fail_input(place(column), std::string(column), values_[position(column)].text, what,
                     wanted);
  }
  void require(std::string_view column) const {
    if (cells_.find(column) < 0) {
      core::fail_input(cells_.at(1), std::string(column), "", "column is missing",
                       "a header with this column");
    }
  }

 private:
  static constexpr std::int64_t kLargest = 1 << 24;
  static constexpr double kShortestUs = 1e-6, kLongestUs = 1e9;
  static std::string accepted() { return "an integer from 1 to " + std::to_string(kLargest); }
  std::size_t position(std::string_view column) const {
    return static_cast<std::size_t>(cells_.find(column));
  }
  core::CsvCells cells_;
  std::vector<core::CsvCell> values_;
};

}  // namespace ridgepoint::workloads
