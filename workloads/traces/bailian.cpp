// SPDX-License-Identifier: Apache-2.0
// Qwen-Bailian traces (alibaba-edu/qwen-bailian-usagetraces-anon): seconds, one id per 16 tokens of
// the prompt, chat and turn numbers. A prompt's ids already tell what it shares with earlier turns,
// so the chat numbers are not needed.
#include <algorithm>

#include "workloads/traces/json_rows.hpp"

namespace ridgepoint::workloads {
namespace {

bool matches(const std::vector<std::string>& names, bool is_json) {
  return is_json && std::find(names.begin(), names.end(), "chat_id") != names.end();
}

std::unique_ptr<TraceRows> open(core::TextLines lines) {
  return open_json_rows(std::move(lines), kNsPerSecond, 16);
}

}  // namespace

const TraceFormat kBailianFormat{
    "bailian",
    R"({"chat_id", "timestamp": s, "input_length", "output_length", "hash_ids": [per 16], ...})",
    "alibaba-edu/qwen-bailian-usagetraces-anon", &matches, &open};

}  // namespace ridgepoint::workloads
