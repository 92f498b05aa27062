// SPDX-License-Identifier: Apache-2.0
#include "workloads/validation/measured.hpp"

#include <filesystem>
#include <set>

#include "sim/config/number.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr MeasuredFamily kFamilies[kMeasuredFamilies] = {
    MeasuredFamily::kGemm, MeasuredFamily::kLinearLayer, MeasuredFamily::kDecodeAttention,
    MeasuredFamily::kPrefillAttention};

constexpr std::int64_t kLargest = 1 << 24;
constexpr double kShortestUs = 1e-6;
constexpr double kLongestUs = 1e9;

// The cells of one row by column name.
class Fields {
 public:
  explicit Fields(core::TextLines lines) : cells_(std::move(lines)) {}

  bool next() { return cells_.next(values_); }
  core::Location place(std::string_view column) const {
    return cells_.at(values_[position(column)].column);
  }
  const std::string& text(std::string_view column) const {
    const std::string& text = values_[position(column)].text;
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
  static std::string accepted() { return "an integer from 1 to " + std::to_string(kLargest); }
  std::size_t position(std::string_view column) const {
    return static_cast<std::size_t>(cells_.find(column));
  }
  core::CsvCells cells_;
  std::vector<core::CsvCell> values_;
};

std::vector<std::string_view> columns_of(MeasuredFamily family) {
  switch (family) {
    case MeasuredFamily::kGemm:
      return {"machine", "engine", "dtype", "m", "n", "k", "latency_us"};
    case MeasuredFamily::kLinearLayer:
      return {"machine", "model", "tokens", "four_gemms_us"};
    case MeasuredFamily::kDecodeAttention:
      return {"machine",  "engine",   "batch",    "kv_tokens", "q_heads",
              "kv_heads", "head_dim", "kv_dtype", "latency_us"};
    case MeasuredFamily::kPrefillAttention:
      break;
  }
  return {"machine",  "engine",   "batch",    "prompt_tokens", "q_heads",
          "kv_heads", "head_dim", "kv_dtype", "latency_us"};
}

void read_gemm(const Fields& fields, MeasuredRow& row) {
  row.source = fields.text("engine");
  row.dtype = fields.dtype("dtype");
  row.m = fields.count("m");
  row.n = fields.count("n");
  row.k = fields.count("k");
  row.measured_us = fields.microseconds("latency_us");
}

void read_linear_layer(const Fields& fields, MeasuredRow& row) {
  row.source = fields.text("model");
  row.m = fields.count("tokens");
  row.measured_us = fields.microseconds("four_gemms_us");
}

void read_attention(const Fields& fields, MeasuredRow& row, std::string_view tokens) {
  row.source = fields.text("engine");
  row.dtype = fields.dtype("kv_dtype");
  row.batch = fields.count("batch");
  row.tokens = fields.count(tokens);
  row.q_heads = fields.count("q_heads");
  row.kv_heads = fields.count("kv_heads");
  row.head_dim = fields.count("head_dim");
  if (row.q_heads % row.kv_heads != 0) {
    fields.fail("q_heads", "is no multiple of kv_heads " + std::to_string(row.kv_heads),
                "a multiple");
  }
  row.measured_us = fields.microseconds("latency_us");
}

}  // namespace

std::span<const MeasuredFamily> measured_families() { return kFamilies; }

std::string_view name_of(MeasuredFamily family) {
  switch (family) {
    case MeasuredFamily::kGemm:
      return "gemm";
    case MeasuredFamily::kLinearLayer:
      return "linear_layer";
    case MeasuredFamily::kDecodeAttention:
      return "decode_attention";
    case MeasuredFamily::kPrefillAttention:
      break;
  }
  return "prefill_attention";
}

std::string MeasuredRow::case_name() const {
  const auto number = [](const char* name, std::int64_t value) {
    return std::string(" ") + name + '=' + std::to_string(value);
  };
  std::string text = source;
  if (family == MeasuredFamily::kGemm) {
    text += ' ' + std::string(core::name_of(dtype)) + number("m", m) + number("n", n);
    return text + number("k", k);
  }
  if (family == MeasuredFamily::kLinearLayer) return text + number("tokens", m);
  return text + ' ' + std::string(core::name_of(dtype)) + number("batch", batch) +
         number("tokens", tokens) + number("heads", q_heads) + '/' + std::to_string(kv_heads) +
         number("dim", head_dim);
}

std::vector<MeasuredRow> read_measured(MeasuredFamily family, core::TextLines lines) {
  Fields fields(std::move(lines));
  for (const std::string_view column : columns_of(family)) fields.require(column);
  std::vector<MeasuredRow> rows;
  std::set<std::string> seen;
  while (fields.next()) {
    MeasuredRow row;
    row.family = family;
    row.machine = fields.text("machine");
    row.where = fields.place("machine");
    if (family == MeasuredFamily::kGemm) {
      read_gemm(fields, row);
    } else if (family == MeasuredFamily::kLinearLayer) {
      read_linear_layer(fields, row);
    } else {
      read_attention(fields, row,
                     family == MeasuredFamily::kDecodeAttention ? "kv_tokens" : "prompt_tokens");
    }
    if (!seen.insert(row.machine + ' ' + row.case_name()).second) {
      fields.fail("machine", "has the case '" + row.case_name() + "' twice", "each case once");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> measured_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const MeasuredFamily family : measured_families()) {
    files.push_back(std::filesystem::path(folder) / (std::string(name_of(family)) + ".csv"));
  }
  return files;
}

std::vector<MeasuredRow> read_measured_folder(const std::string& folder) {
  std::vector<MeasuredRow> all;
  bool any = false;
  const std::vector<std::string> files = measured_files(folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!std::filesystem::exists(files[i])) continue;
    any = true;
    for (MeasuredRow& row : read_measured(measured_families()[i], core::TextLines(files[i]))) {
      all.push_back(std::move(row));
    }
  }
  if (!any) {
    core::fail_input({}, "--measured", folder, "holds no measurements",
                     "a folder with gemm.csv, linear_layer.csv, decode_attention.csv or "
                     "prefill_attention.csv");
  }
  return all;
}

}  // namespace ridgepoint::workloads
