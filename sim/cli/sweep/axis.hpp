// SPDX-License-Identifier: Apache-2.0
// One axis of a sweep: an option, or several that go together, and the values it takes.
#pragma once

#include <string>
#include <vector>

#include "sim/config/option_table.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::cli {

struct Axis {
  std::vector<config::OptionRef> options;        // more than one: zipped
  std::vector<std::vector<std::string>> values;  // [position][option]
};

// A condition that leaves points out: all of its parts must hold.
struct SkipRule {
  struct Part {
    config::OptionRef option;
    std::vector<std::string> values;
  };
  std::vector<Part> parts;
};

inline constexpr std::size_t kMostPoints = 1'000'000;

// `names` is "batch" or "phase+tokens", `values` "1,2,8:64:*2" or "prefill+512,decode+1". A range
// has both ends, the high one only if a step meets it; "all" is every machine or model. Throws InputError at `where`; `target` is
// the subcommand whose options may vary.
Axis parse_axis(const std::string& names, const std::string& values, std::string_view target,
                const core::Location& where);

// "phase=prefill batch=4,8"
SkipRule parse_skip_rule(const std::string& text, std::string_view target,
                         const core::Location& where);

}  // namespace ridgepoint::cli
