// SPDX-License-Identifier: Apache-2.0
#include "sim/config/assignment.hpp"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

#include "sim/config/option_table.hpp"

namespace ridgepoint::config {
namespace {

namespace po = boost::program_options;

// Both spellings of every row.
po::options_description every_flag() {
  po::options_description description;
  const auto add = [&](const std::string& name) {
    description.add_options()(name.c_str(), po::value<std::string>());
  };
  for (const OptionRef& option : all_options()) {
    add(std::string(option.row->key));
    if (option.row->flag.empty()) continue;
    add(flag_of(*option.row).substr(2));
    if (option.row->flag.find('_') != std::string_view::npos) add(std::string(option.row->flag));
  }
  return description;
}

// A switch takes 'true' and 'false' as its value; any other word that follows it is not its own.
// '-o', the one short flag, is there from habit.
std::vector<std::string> long_flags(std::span<const std::string> arguments) {
  std::vector<std::string> tokens(arguments.begin(), arguments.end());
  const auto end = std::find(tokens.begin(), tokens.end(), "--");
  std::replace(tokens.begin(), end, std::string("-o"), std::string("--out"));
  for (auto token = tokens.begin(); token != end; ++token) {
    const auto next = token + 1;
    if (!token->starts_with("--") || (next != end && (*next == "true" || *next == "false"))) {
      continue;
    }
    const OptionRef known = find_option(token->substr(2));
    if (known && known.row->type == OptionType::kSwitch) *token += "=true";
  }
  return tokens;
}

Assignment flag_from(const po::basic_option<char>& option) {
  // An unknown flag is kept whole by Boost: "--name" or "--name=value".
  std::string name = option.string_key;
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  if (const std::size_t equals = name.find('='); equals != std::string::npos) name.resize(equals);
  return {name, option.value.empty() ? std::string() : option.value.front(), {}};
}

std::string trimmed(const std::string& line) {
  const char* const blank = " \t\r\f\v";
  const std::size_t begin = line.find_first_not_of(blank);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(blank) - begin + 1);
}

// Boost reports no line numbers, so it is given one line at a time, below its section's header.
std::vector<po::option> parse_line(const std::string& section, const std::string& line) {
  std::istringstream text(section + '\n' + line + '\n');
  return po::parse_config_file(text, po::options_description(), /*allow_unregistered=*/true)
      .options;
}

}  // namespace

CommandLine parse_command_line(std::span<const std::string> arguments) {
  namespace style = po::command_line_style;
  static const po::options_description description = every_flag();
  CommandLine result;
  try {
    const auto parsed =
        po::command_line_parser(long_flags(arguments))
            .options(description)
            .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
            .allow_unregistered()
            .run();
    for (const auto& option : parsed.options) {
      if (option.position_key >= 0) {
        result.positionals.insert(result.positionals.end(), option.value.begin(),
                                  option.value.end());
      } else {
        result.flags.push_back(flag_from(option));
      }
    }
  } catch (const po::error_with_option_name& error) {
    std::string name = error.get_option_name();
    name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
    const OptionRef option = find_option(name);
    core::fail_input({}, error.get_option_name(), "", "needs a value",
                     option ? accepted_text(*option.row) : "--name value");
  }
  return result;
}

std::vector<Assignment> parse_ini(std::string_view text, const std::string& file) {
  std::vector<Assignment> assignments;
  std::map<std::string, std::uint64_t> first_line;
  static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::istringstream lines{std::string(text)};
  std::string section;
  core::Location where{file, 0, 0};
  for (std::string line; std::getline(lines, line);) {
    ++where.line;
    const std::string body = trimmed(line.substr(0, line.find('#')));
    if (body.empty()) continue;
    if (body.front() == '[') {
      if (body.back() != ']' || body.size() < 3) {
        core::fail_input(where, "", body, "is not a section", "[section]");
      }
      section = '[' + trimmed(body.substr(1, body.size() - 2)) + ']';
      continue;
    }
    try {
      for (const auto& option : parse_line(section, line)) {
        const std::string value = option.value.empty() ? std::string() : option.value.front();
        const auto [seen, fresh] = first_line.emplace(option.string_key, where.line);
        if (!fresh) {
          core::fail_input(where, option.string_key, value,
                           "stands twice, first on line " + std::to_string(seen->second),
                           "one line for each key");
        }
        assignments.push_back({option.string_key, value, where});
      }
    } catch (const po::error&) {
      core::fail_input(where, "", body, "is not 'name = value'",
                       "[section], name = value, # comment");
    }
  }
  return assignments;
}

std::string read_text_file(const std::string& path, std::size_t most_bytes) {
  const auto fail = [&] {
    core::fail_input({path, 0, 0}, "", "", std::string("cannot be read: ") + std::strerror(errno),
                     "a readable file");
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail();
  std::string text;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), got);
    if (text.size() > most_bytes) {
      core::fail_input({path, 0, 0}, "", "", "is too large",
                       "at most " + std::to_string(most_bytes) + " bytes");
    }
  }
  if (std::ferror(file.get()) != 0) fail();
  return text;
}

std::vector<Assignment> read_ini(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  return parse_ini(read_text_file(path, kMostBytes), path);
}

}  // namespace ridgepoint::config
