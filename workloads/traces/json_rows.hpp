// SPDX-License-Identifier: Apache-2.0
// What the JSON-lines trace formats share: one object per line with a time, two lengths and the
// ids of the prompt's blocks. Other keys are ignored; repeated ones are errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/traces/formats.hpp"

namespace ridgepoint::workloads {

// The top-level keys of one JSON object, in order; empty if `line` is not an object.
std::vector<std::string> json_keys(std::string_view line);

// Rows {"timestamp", "input_length", "output_length", "hash_ids"}: times in units of `unit_ns`, one
// id for every `block_tokens` tokens of the prompt.
std::unique_ptr<TraceRows> open_json_rows(core::TextLines lines, Nanoseconds unit_ns,
                                          std::int64_t block_tokens);

}  // namespace ridgepoint::workloads
