// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/checker/trace_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace ridgepoint::dram::checker {
namespace {

struct Word {
  std::string_view text;
  std::uint64_t column = 0;  // 1-based
};

// Words of a line up to a comment.
void split(std::string_view line, std::vector<Word>& words) {
  words.clear();
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && blank(line[at])) ++at;
    if (at == line.size() || line[at] == '#') return;
    const std::size_t start = at;
    while (at < line.size() && !blank(line[at]) && line[at] != '#') ++at;
    words.push_back({line.substr(start, at - start), start + 1});
  }
}

constexpr std::array<std::string_view, 9> kFields{"tick", "channel", "command", "pc", "sid",
                                                  "bg",   "bank",    "row",     "col"};

class Reader {
 public:
  Reader(core::TextLines lines, const Memory* machine, Limits (*standard)(const std::string&))
      : lines_(std::move(lines)), machine_(machine), standard_(standard) {
    if (machine != nullptr) limits_ = machine->limits;
  }

  TraceResult run() {
    std::string_view line;
    while (lines_.next(line)) {
      split(line, words_);
      if (!words_.empty()) take();
      if (machine_ != nullptr && result_.commands == 0) check_comment(line);
    }
    if (result_.commands == 0) {
      core::fail_input({lines_.name(), 0, 0}, "", "", "holds no command", "one line per command");
    }
    if (ended_) {
      for (auto& [index, checker] : result_.channels) checker.finish(end_);
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(std::size_t word, const std::string& key, const std::string& what,
                         const std::string& accepted) const {
    const bool there = word < words_.size();
    const std::uint64_t column =
        there ? words_[word].column : words_.back().column + words_.back().text.size();
    core::fail_input(lines_.at(column), key, there ? std::string(words_[word].text) : "", what,
                     accepted);
  }

  std::int64_t number(std::size_t word, std::string_view key, std::int64_t most) const {
    const std::string range = "0 .. " + std::to_string(most);
    if (word >= words_.size()) fail(word, std::string(key), "is missing", range);
    const std::string_view text = words_[word].text;
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) {
      fail(word, std::string(key), "is out of range", range);
    }
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
      fail(word, std::string(key), "is no whole number", range);
    }
    if (value < 0 || value > most) fail(word, std::string(key), "is out of range", range);
    return value;
  }

  void expect_words(std::size_t count) const {
    if (words_.size() <= count) return;
    fail(count, "", "is one word too many", "a comment starts with #");
  }

  void take() {
    const std::string_view first = words_.front().text;
    if (ended_) fail(0, "", "comes after 'end'", "end as the last line");
    if (first.front() >= '0' && first.front() <= '9') return command();
    if (first == "end") {
      end_ = number(1, "end", kMost);
      expect_words(2);
      ended_ = true;
      return;
    }
    header();
  }

  void header() {
    const std::string name(words_.front().text);
    if (result_.commands != 0) {
      fail(0, "", "is no tick", "header lines only before the first command");
    }
    if (name == "standard") {
      if (words_.size() < 2) fail(1, name, "is missing", "the name of a standard");
      expect_words(2);
      read_standard();
      return;
    }
    const auto known = limit_names();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const LimitName& one) { return one.name == name; });
    if (found == known.end()) {
      std::string names = "a tick, end, standard";
      for (const LimitName& one : known) names += ", " + std::string(one.name);
      fail(0, "", "is unknown", names);
    }
    const std::int64_t value = number(1, name, std::int64_t{1} << 40);
    expect_words(2);
    known_ = true;
    if (machine_ == nullptr) limits_.*(found->value) = value;
  }

  void require_standard(std::string_view name, std::uint64_t column) const {
    if (name == machine_->standard) return;
    core::fail_input(lines_.at(column), "standard", std::string(name), "is not the machine's",
                     machine_->standard + ", or the machine of the trace");
  }

  // What trace_header() says in its first line.
  void check_comment(std::string_view line) const {
    if (!line.starts_with(kTraceOf)) return;
    const std::size_t tick = line.find(kTickIs);
    if (tick == std::string_view::npos) return;
    require_standard(line.substr(kTraceOf.size(), tick - kTraceOf.size()), kTraceOf.size() + 1);
    const std::string_view text = line.substr(tick + kTickIs.size());
    double ns = 0;
    std::from_chars(text.data(), text.data() + text.size(), ns);
    if (std::abs(ns - machine_->tick_ns) <= 1e-9 * machine_->tick_ns) return;
    core::fail_input(lines_.at(tick + kTickIs.size() + 1), "tick",
                     std::string(text.substr(0, text.find('\n'))), "is not the machine's",
                     tick_text(machine_->tick_ns) + " ns, or the machine of the trace");
  }

  void read_standard() {
    known_ = true;
    if (machine_ != nullptr) return require_standard(words_[1].text, words_[1].column);
    try {
      limits_ = standard_(std::string(words_[1].text));
    } catch (const core::InputError& error) {
      throw core::InputError(core::describe(lines_.at(words_[1].column), "", "", error.what(), ""));
    }
  }

  // A field of an address: '-' is -1.
  std::int64_t field(std::size_t word, std::int64_t most) const {
    if (word < words_.size() && words_[word].text == "-") return -1;
    return number(word, kFields[word], most);
  }

  Command command_name() const {
    const std::string_view text = words_.size() > 2 ? words_[2].text : std::string_view();
    for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
      if (kCommandNames[kind] == text) return static_cast<Command>(kind);
    }
    std::string names;
    for (const std::string_view one : kCommandNames) {
      names += (names.empty() ? "" : ", ") + std::string(one);
    }
    fail(2, "command", words_.size() > 2 ? "is unknown" : "is missing", names);
  }

  // Word `word` is the first field that the channel does not have.
  void require_field(std::size_t word, std::int64_t value, std::int64_t count) const {
    if (value >= 0 && value < count) return;
    fail(word, std::string(kFields[word]), "does not exist in this memory",
         "0 .. " + std::to_string(count - 1));
  }

  void require_address(const TraceCommand& at) const {
    require_field(3, at.pc, limits_.pseudo_channels);
    require_field(4, at.sid, limits_.stack_ids);
    if (addresses_stack_id(at.command)) return;
    if (!addresses_same_bank(at.command)) require_field(5, at.bg, limits_.bank_groups);
    require_field(6, at.bank, limits_.banks);
    const bool column = is_column(at.command);
    if (column || at.command == Command::kAct) require_field(7, at.row, limits_.rows);
    if (column) require_field(8, at.column, limits_.columns);
  }

  void command() {
    if (machine_ == nullptr && !known_) {
      fail(0, "", "comes before any header",
           "'standard NAME' or the memory's numbers first, or --machine");
    }
    TraceCommand at;
    at.tick = number(0, kFields[0], kMost);
    const std::int64_t channel = number(1, kFields[1], kMostChannels);
    at.command = command_name();
    at.pc = static_cast<int>(field(3, kMostField));
    at.sid = static_cast<int>(field(4, kMostField));
    at.bg = static_cast<int>(field(5, kMostField));
    at.bank = static_cast<int>(field(6, kMostField));
    at.row = field(7, kMost);
    at.column = static_cast<int>(field(8, kMostField));
    expect_words(kFields.size());
    auto found = result_.channels.find(channel);
    if (found == result_.channels.end()) {
      if (result_.channels.empty()) check_limits();
      found = result_.channels.emplace(channel, Checker(limits_)).first;
    }
    require_address(at);
    found->second.check(at);
    ++result_.commands;
  }

  void check_limits() const {
    try {
      validate(limits_);
    } catch (const core::InputError& error) {
      throw core::InputError(lines_.name() + ": header: " + error.what());
    }
  }

  static constexpr std::int64_t kMost = std::int64_t{1} << 60;
  static constexpr std::int64_t kMostChannels = 1 << 20;
  static constexpr std::int64_t kMostField = 1 << 30;

  core::TextLines lines_;
  const Memory* machine_;
  Limits (*standard_)(const std::string&);
  Limits limits_;
  std::vector<Word> words_;
  bool known_ = false;  // the header said something
  bool ended_ = false;
  Tick end_ = 0;
  TraceResult result_;
};

}  // namespace

TraceResult check_trace(core::TextLines lines, const Memory* machine,
                        Limits (*standard_limits)(const std::string& name)) {
  return Reader(std::move(lines), machine, standard_limits).run();
}

}  // namespace ridgepoint::dram::checker
