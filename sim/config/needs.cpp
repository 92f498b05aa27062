// SPDX-License-Identifier: Apache-2.0
#include "sim/config/needs.hpp"

#include <algorithm>

namespace ridgepoint::config {
namespace {

// One alternative of OptionRow::needs.
struct Need {
  bool absent = false;
  OptionRef option;
  std::vector<std::string> values;  // empty: any
};

Need parse_need(std::string_view text) {
  Need need;
  need.absent = text.starts_with('!');
  if (need.absent) text.remove_prefix(1);
  const std::size_t equals = text.find('=');
  need.option = find_option(text.substr(0, equals));
  if (!need.option) throw std::logic_error("no option row '" + std::string(text) + "'");
  if (equals != std::string_view::npos) need.values = split_words(text.substr(equals + 1), '|');
  return need;
}

bool met(const Options& options, const Need& need) {
  const std::string_view key = need.option.row->key;
  if (!need.values.empty()) {
    return std::find(need.values.begin(), need.values.end(), options.text(key)) !=
           need.values.end();
  }
  const Origin::Kind kind = options.origin(key).kind;
  const bool given = kind == Origin::Kind::kFlag || kind == Origin::Kind::kFile;
  return given != need.absent;
}

// "--pattern streams or paged_kv", "no --trace"
std::string need_text(const Need& need) {
  std::string text = (need.absent ? "no " : "") + flag_of(*need.option.row);
  for (const std::string& value : need.values) {
    text += (&value == &need.values.front() ? " " : " or ") + value;
  }
  return text;
}

}  // namespace

bool must_be_used(const Options& options, std::string_view key) {
  return options.origin(key).kind == Origin::Kind::kFlag &&
         !options.enabled("general.allow_unused");
}

void check_needs(const Options& options, std::string_view subcommand) {
  for (const OptionRef& option : all_options()) {
    const OptionRow& row = *option.row;
    if (row.needs.empty() || !must_be_used(options, row.key)) continue;
    for (const std::string& all : split_words(row.needs, '&')) {
      std::string missing;
      bool enough = false;
      for (const std::string& text : split_words(all, ' ')) {
        const Need need = parse_need(text);
        enough = enough || !used_by(need.option, subcommand) || met(options, need);
        missing += (missing.empty() ? "" : ", or ") + need_text(need);
      }
      if (enough) continue;
      options.fail(row.key, "would change nothing",
                   missing + " beside it, or --allow-unused");
    }
  }
}

}  // namespace ridgepoint::config
