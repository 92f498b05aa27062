// SPDX-License-Identifier: Apache-2.0
#include "workloads/validation/measured.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "workloads/validation/fields.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr MeasuredFamily kFamilies[kMeasuredFamilies] = {
    MeasuredFamily::kGemm, MeasuredFamily::kLinearLayer, MeasuredFamily::kDecodeAttention,
    MeasuredFamily::kPrefillAttention};

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

std::string MeasuredRow::shape_name() const {
  const auto number = [](const char* name, std::int64_t value) {
    return std::string(" ") + name + '=' + std::to_string(value);
  };
  if (family == MeasuredFamily::kGemm) return number("m", m) + number("n", n) + number("k", k);
  if (family == MeasuredFamily::kLinearLayer) return source + number("tokens", m);
  return number("batch", batch) + number("tokens", tokens) + number("heads", q_heads) + '/' +
         std::to_string(kv_heads) + number("dim", head_dim);
}

std::string MeasuredRow::case_name() const {
  if (family == MeasuredFamily::kLinearLayer) return shape_name();
  return source + ' ' + std::string(core::name_of(dtype)) + shape_name();
}

std::vector<MeasuredRow> read_measured(MeasuredFamily family, core::TextLines lines) {
  Fields fields(std::move(lines));
  for (const std::string_view column : columns_of(family)) fields.require(column);
  std::vector<MeasuredRow> rows;
  std::set<std::string> seen;
  std::map<std::string, std::int64_t> shapes;
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
    const auto next = static_cast<std::int64_t>(shapes.size());
    row.shape = shapes.emplace(row.shape_name(), next).first->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> measured_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const MeasuredFamily family : measured_families()) {
    files.push_back(std::filesystem::path(folder) / (std::string(name_of(family)) + ".csv"));
  }
  files.push_back(std::filesystem::path(folder) / "kv_blocks.csv");
  return files;
}

std::vector<MeasuredRow> read_measured_folder(const std::string& folder) {
  std::vector<MeasuredRow> all;
  bool any = false;
  const std::vector<std::string> files = measured_files(folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!std::filesystem::exists(files[i])) continue;
    any = true;
    if (i >= measured_families().size()) continue;
    for (MeasuredRow& row : read_measured(measured_families()[i], core::TextLines(files[i]))) {
      all.push_back(std::move(row));
    }
  }
  if (!any) {
    core::fail_input({}, "--measured", folder, "holds no measurements",
                     "a folder with gemm.csv, linear_layer.csv, decode_attention.csv, "
                     "prefill_attention.csv or kv_blocks.csv");
  }
  return all;
}

}  // namespace ridgepoint::workloads
