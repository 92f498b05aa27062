// SPDX-License-Identifier: Apache-2.0
// JSON from a file nobody vouches for: bounded depth, no key twice in one object, one-line errors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ridgepoint::workloads {

// `file` and `what` name the text in errors. Throws InputError; `deepest` counts nested brackets.
nlohmann::json parse_guarded_json(const std::string& text, int deepest, const std::string& file,
                                  const std::string& what);

}  // namespace ridgepoint::workloads
