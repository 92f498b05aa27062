// SPDX-License-Identifier: Apache-2.0
#include "workloads/traces/json_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "workloads/traces/cells.hpp"

namespace ridgepoint::workloads {
namespace {

using Json = nlohmann::json;

enum Field : std::size_t { kTime, kPrompt, kOutput, kIds, kFields };
constexpr std::array<std::string_view, kFields> kKeys{"timestamp", "input_length", "output_length",
                                                      "hash_ids"};
constexpr const char* kIdsAccepted = "an array of integers from 0 to 18446744073709551615";

// Receives one line's events; keeps the four fields and complains about everything else in them.
class LineHandler final : public nlohmann::json_sax<Json> {
 public:
  std::array<std::optional<double>, kOutput + 1> numbers;
  std::array<bool, kOutput + 1> integral{};
  std::vector<std::uint64_t>* ids = nullptr;
  bool have_ids = false;
  std::vector<std::string> keys;  // top level
  std::string problem;            // first one, empty if none
  std::string problem_key;
  std::string problem_value;
  std::string accepted;
  std::uint64_t error_byte = 0;  // 1-based place of a syntax error, 0 if none

  bool null() override { return value_of_other_type("null"); }
  bool boolean(bool value) override { return value_of_other_type(value ? "true" : "false"); }
  bool string(string_t& value) override { return value_of_other_type('"' + value + '"'); }
  bool binary(binary_t&) override { return value_of_other_type("binary"); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), true, std::to_string(value), std::nullopt);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), true, std::to_string(value), value);
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, false, text, std::nullopt);
  }
  bool start_object(std::size_t) override {
    if (depth_ > 0 && !value_of_other_type("{...}")) return false;
    ++depth_;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return fail("the line is not an object", "", "[...]", "one JSON object");
    if (depth_ == 1 && field_ == kIds) {
      have_ids = true;
    } else if (!value_of_other_type("[...]")) {
      return false;
    }
    ++depth_;
    return true;
  }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) {
      return fail("key appears twice", name, "", "each key once");
    }
    keys.push_back(name);
    const auto found = std::find(kKeys.begin(), kKeys.end(), name);
    field_ = static_cast<std::size_t>(found - kKeys.begin());
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const Json::exception&) override {
    error_byte = std::max<std::uint64_t>(byte, 1);
    return false;
  }

 private:
  bool leave() {
    --depth_;
    return true;
  }

  bool fail(const std::string& what, const std::string& name, const std::string& value,
            const std::string& wanted) {
    problem = what;
    problem_key = name;
    problem_value = value;
    accepted = wanted;
    return false;
  }

  bool value_of_other_type(const std::string& text) {
    if (depth_ == 0) return fail("the line is not an object", "", text, "one JSON object");
    if (field_ >= kFields) return true;
    if (field_ == kIds) return fail("not block ids", std::string(kKeys[kIds]), text, kIdsAccepted);
    return depth_ > 1 || fail("not a number", std::string(kKeys[field_]), text, "a number");
  }

  bool number(double value, bool is_integer, const std::string& text,
              std::optional<std::uint64_t> id) {
    if (depth_ == 0) return fail("the line is not an object", "", text, "one JSON object");
    if (field_ >= kFields) return true;
    if (field_ == kIds) {
      if (depth_ != 2 || !id.has_value()) {
        return fail("not a block id", std::string(kKeys[kIds]), text, kIdsAccepted);
      }
      if (ids != nullptr) ids->push_back(*id);
      return true;
    }
    if (depth_ == 1) {
      numbers[field_] = value;
      integral[field_] = is_integer;
    }
    return true;
  }

  int depth_ = 0;
  std::size_t field_ = kFields;  // the one being read
};

class JsonTraceRows final : public TraceRows {
 public:
  JsonTraceRows(core::TextLines lines, Nanoseconds unit_ns, std::int64_t block_tokens)
      : lines_(std::move(lines)), unit_ns_(unit_ns), block_tokens_(block_tokens) {}

  bool next(TraceRow& row) override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    if (line.empty()) core::fail_input(at(1), "", "", "blank line", "one JSON object per line");
    row.block_ids.clear();
    LineHandler handler;
    handler.ids = &row.block_ids;
    const bool parsed = Json::sax_parse(line.begin(), line.end(), &handler);
    if (handler.error_byte != 0) {
      core::fail_input(at(std::min<std::uint64_t>(handler.error_byte, line.size() + 1)), "", "",
                       "not valid JSON", "one JSON object per line");
    }
    if (!parsed) {
      core::fail_input(at(column_of(line, handler.problem_key)), handler.problem_key,
                       handler.problem_value, handler.problem, handler.accepted);
    }
    row.time = time(handler, line);
    row.time_column = column_of(line, kKeys[kTime]);
    row.prompt_tokens = length(handler, line, kPrompt);
    row.output_tokens = length(handler, line, kOutput);
    row.block_tokens = block_tokens_;
    row.failed = false;
    check_ids(handler, line, row);
    return true;
  }

  core::Location at(std::uint64_t column) const override { return lines_.at(column); }

 private:
  static std::uint64_t column_of(std::string_view line, std::string_view key) {
    if (key.empty()) return 1;
    const std::size_t found = line.find('"' + std::string(key) + '"');
    return found == std::string_view::npos ? 1 : found + 1;
  }

  [[noreturn]] void fail(std::string_view line, Field field, double value, const std::string& what,
                         const std::string& accepted) const {
    std::string text = Json(value).dump();
    core::fail_input(at(column_of(line, kKeys[field])), std::string(kKeys[field]), text, what,
                     accepted);
  }

  double required(const LineHandler& handler, Field field) const {
    if (handler.numbers[field].has_value()) return *handler.numbers[field];
    core::fail_input(at(1), std::string(kKeys[field]), "", "key is missing", "a number");
  }

  Nanoseconds time(const LineHandler& handler, std::string_view line) const {
    const double value = required(handler, kTime);
    // Below 2^53 ns (104 days) a double holds every nanosecond.
    const double ns = value * static_cast<double>(unit_ns_);
    if (!(value >= 0) || ns >= 9.2e18) {
      fail(line, kTime, value, "out of range", "a non-negative time of at most 292 years");
    }
    return std::llround(ns);
  }

  std::int64_t length(const LineHandler& handler, std::string_view line, Field field) const {
    const double value = required(handler, field);
    const std::string accepted = "an integer from 1 to " + std::to_string(kLargestLength);
    if (!handler.integral[field]) fail(line, field, value, "not an integer", accepted);
    if (!(value >= 1) || value > static_cast<double>(kLargestLength)) {
      fail(line, field, value, "out of range", accepted);
    }
    return static_cast<std::int64_t>(value);
  }

  void check_ids(const LineHandler& handler, std::string_view line, const TraceRow& row) const {
    if (!handler.have_ids) {
      core::fail_input(at(1), std::string(kKeys[kIds]), "", "key is missing", kIdsAccepted);
    }
    const std::int64_t wanted = (row.prompt_tokens + block_tokens_ - 1) / block_tokens_;
    if (static_cast<std::int64_t>(row.block_ids.size()) == wanted) return;
    core::fail_input(
        at(column_of(line, kKeys[kIds])), std::string(kKeys[kIds]), "",
        std::to_string(row.block_ids.size()) + " ids for " + std::to_string(row.prompt_tokens) +
            " prompt tokens",
        std::to_string(wanted) + " ids, one per " + std::to_string(block_tokens_) + " tokens");
  }

  core::TextLines lines_;
  Nanoseconds unit_ns_;
  std::int64_t block_tokens_;
};

}  // namespace

std::vector<std::string> json_keys(std::string_view line) {
  LineHandler handler;
  if (line.empty() || line.front() != '{') return {};
  // A line with a bad value still shows which format it was meant to be.
  Json::sax_parse(line.begin(), line.end(), &handler);
  return handler.keys;
}

std::unique_ptr<TraceRows> open_json_rows(core::TextLines lines, Nanoseconds unit_ns,
                                          std::int64_t block_tokens) {
  return std::make_unique<JsonTraceRows>(std::move(lines), unit_ns, block_tokens);
}

}  // namespace ridgepoint::workloads
