// SPDX-License-Identifier: Apache-2.0
// Mooncake traces (kvcache-ai/Mooncake): milliseconds, one id per 512 tokens of the prompt.
#include <algorithm>

#include "workloads/traces/json_rows.hpp"

namespace ridgepoint::workloads {
namespace {

bool matches(const std::vector<std::string>& names, bool is_json) {
  return is_json && std::find(names.begin(), names.end(), "timestamp") != names.end() &&
         std::find(names.begin(), names.end(), "chat_id") == names.end();
}

std::unique_ptr<TraceRows> open(core::TextLines lines) {
  return open_json_rows(std::move(lines), kNsPerSecond / 1000, 512);
}

}  // namespace

const TraceFormat kMooncakeFormat{
    "mooncake", R"({"timestamp": ms, "input_length", "output_length", "hash_ids": [per 512]})",
    "kvcache-ai/Mooncake", &matches, &open};

}  // namespace ridgepoint::workloads
