// SPDX-License-Identifier: Apache-2.0
#include "workloads/validation/kv_blocks.hpp"

#include <algorithm>
#include <sstream>

#include "workloads/validation/fields.hpp"

namespace ridgepoint::workloads {
namespace {

void read_settings(const Fields& fields, LoggedBlocks& row) {
  std::istringstream words(row.settings);
  const auto number = [&](const std::string& word) {
    std::string text, why;
    words >> text;
    const auto value = config::parse_real(text, why);
    if (!value || *value <= 0) {
      fields.fail("settings", "has no number above 0 after '" + word + "'",
                  "such as '" + word + " 1'");
    }
    return *value;
  };
  for (std::string word; words >> word;) {
    if (word == "util") row.utilization = number(word);
    if (word == "mbt") row.max_batch_tokens = static_cast<std::int64_t>(number(word));
    if (word == "seqs") row.max_num_seqs = static_cast<std::int64_t>(number(word));
  }
}

// Parts of a name that change neither shapes nor cores: a tuning, a file format, a memory size.
bool says_nothing(const std::string& part) {
  if (part == "hf" || part == "chat" || part == "instruct" || part == "it") return true;
  return part.size() > 1 && part.back() == 'g' &&
         part.find_first_not_of("0123456789") == part.size() - 1;
}

}  // namespace

std::vector<LoggedBlocks> read_logged_blocks(const std::string& path) {
  Fields fields{core::TextLines(path)};
  for (const char* const column : {"model", "gpu", "dtype_kv", "settings", "num_gpu_blocks",
                                   "block_size", "kv_tokens", "max_model_len"}) {
    fields.require(column);
  }
  std::vector<LoggedBlocks> rows;
  while (fields.next()) {
    LoggedBlocks row;
    row.model = fields.text("model");
    row.gpu = fields.text("gpu");
    row.settings = fields.cell("settings");
    row.block_tokens = fields.count("block_size");
    row.kv_dtype = fields.dtype("dtype_kv");
    row.blocks = fields.cell("num_gpu_blocks").empty()
                     ? fields.count("kv_tokens") / row.block_tokens
                     : fields.count("num_gpu_blocks");
    read_settings(fields, row);
    if (!row.max_batch_tokens && !fields.cell("max_model_len").empty()) {
      row.max_batch_tokens = fields.count("max_model_len");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string registered_name(const std::string& text, std::span<const std::string> names) {
  std::string name = text.substr(0, text.find(" ("));
  name.erase(0, name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '-';
  }
  if (name.starts_with("meta-")) name.erase(0, 5);
  if (name.ends_with("gb")) name.pop_back();  // "80GB" is "80g"
  while (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::size_t hyphen = name.rfind('-');
    if (hyphen == std::string::npos || !says_nothing(name.substr(hyphen + 1))) return "";
    name.resize(hyphen);
  }
  return name;
}

std::int64_t predicted_blocks(const LoggedBlocks& logged, const ModelShape& shape,
                              CapacityInput defaults) {
  defaults.context_tokens = 1;
  defaults.kv_dtype = logged.kv_dtype;
  defaults.block_tokens = logged.block_tokens;
  if (logged.utilization) defaults.utilization = *logged.utilization;
  if (logged.max_batch_tokens) defaults.max_batch_tokens = *logged.max_batch_tokens;
  if (logged.max_num_seqs) defaults.max_num_seqs = *logged.max_num_seqs;
  return realistic_capacity(shape, defaults).kv_blocks;
}

}  // namespace ridgepoint::workloads
