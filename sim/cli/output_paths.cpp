// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output_paths.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "sim/config/option_table.hpp"

namespace ridgepoint::cli {
namespace {

namespace fs = std::filesystem;

// What decides only where output appears, and is a file.
bool is_output(const config::OptionRow& row) {
  return row.unit == "path of a file" && !row.identity;
}

// One regular file, existing or to be made.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error) && !error;
  }
  const fs::path left = fs::weakly_canonical(fs::absolute(a, error), error);
  return !error && left == fs::weakly_canonical(fs::absolute(b, error), error) && !error;
}

std::vector<const config::OptionRow*> set_texts(const config::Options& options) {
  std::vector<const config::OptionRow*> named;
  for (const config::OptionGroup& group : config::option_groups()) {
    for (const config::OptionRow& row : group.rows) {
      if (row.type == config::OptionType::kText && !row.repeated && options.has(row.key)) {
        named.push_back(&row);
      }
    }
  }
  return named;
}

}  // namespace

void check_output_paths(const config::Options& options,
                        const std::vector<std::string>& positionals) {
  const std::vector<const config::OptionRow*> named = set_texts(options);
  for (const config::OptionRow* output : named) {
    if (!is_output(*output)) continue;
    const std::string& path = options.text(output->key);
    for (const config::OptionRow* other : named) {
      // A name that is no path is no file either, unless one of that name is about to be written.
      if (other == output || other->unit.find("path") == std::string_view::npos) continue;
      if (same_file(path, options.text(other->key))) {
        options.fail(output->key, "is also the file of " + config::flag_of(*other),
                     "a file of its own");
      }
    }
  }
  check_outputs_are_not(options, positionals);
}

void check_outputs_are_not(const config::Options& options, const std::vector<std::string>& inputs) {
  for (const config::OptionRow* output : set_texts(options)) {
    if (!is_output(*output)) continue;
    for (const std::string& input : inputs) {
      if (same_file(options.text(output->key), input)) {
        options.fail(output->key, "is also a file to read", "a file of its own");
      }
    }
  }
}

}  // namespace ridgepoint::cli
