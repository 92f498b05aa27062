// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "sim/cli/dram/source.hpp"
#include "sim/config/number.hpp"
#include "sim/core/text_lines.hpp"

namespace ridgepoint::cli {
namespace {

struct Word {
  std::string text;
  std::uint64_t column = 0;
};

class Recorded : public Source {
 public:
  explicit Recorded(std::vector<Access> accesses) : accesses_(std::move(accesses)) {}
  bool next(Access& access) override {
    if (at_ == accesses_.size()) return false;
    access = accesses_[at_++];
    return true;
  }

 private:
  std::vector<Access> accesses_;
  std::size_t at_ = 0;
};

constexpr core::Femtoseconds kLongestIdle = core::kFsPerSecond;

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  const std::string_view body = line.substr(0, std::min(line.find('#'), line.size()));
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t start = body.find_first_not_of(" \t", at);
    if (start == std::string_view::npos) break;
    at = std::min(body.find_first_of(" \t", start), body.size());
    words.push_back({std::string(body.substr(start, at - start)), start + 1});
  }
  return words;
}

std::uint64_t parse_address(const Word& word, const core::Location& where) {
  const bool hex = word.text.starts_with("0x") || word.text.starts_with("0X");
  const char* begin = word.text.data() + (hex ? 2 : 0);
  const char* end = word.text.data() + word.text.size();
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    core::fail_input(where, "address", word.text, "is no address",
                     "bytes, decimal or 0x hexadecimal");
  }
  return value;
}

core::Femtoseconds parse_time(const Word& word, const core::Location& where,
                              core::Femtoseconds last) {
  std::string why;
  const auto ns = config::parse_real(word.text, why);
  if (!ns || *ns < 0 || *ns > 9e12) {
    core::fail_input(where, "time_ns", word.text, ns ? "is out of range" : why, "0 .. 9e12");
  }
  const auto time = static_cast<core::Femtoseconds>(std::llround(*ns * core::kFsPerNs));
  if (time < last) {
    core::fail_input(where, "time_ns", word.text, "is before the line above", "times in order");
  }
  // An idle memory is simulated, too, for its refreshes.
  if (time - last > kLongestIdle) {
    core::fail_input(where, "time_ns", word.text, "is too long after the line above",
                     "up to " + std::to_string((last + kLongestIdle) / core::kFsPerNs) +
                         ": gaps of at most 1e9 ns");
  }
  return time;
}

}  // namespace

std::unique_ptr<Source> read_access_trace(const std::string& path, std::uint32_t request_bytes,
                                          std::uint64_t capacity) {
  core::TextLines lines(path);
  std::vector<Access> accesses;
  std::string_view line;
  core::Femtoseconds last = 0;
  while (lines.next(line)) {
    const std::vector<Word> words = words_of(line);
    if (words.empty()) continue;
    Access access{.bytes = request_bytes};
    access.address = parse_address(words[0], lines.at(words[0].column));
    if (capacity < request_bytes || access.address > capacity - request_bytes) {
      core::fail_input(lines.at(words[0].column), "address", words[0].text,
                       "is outside the memory's " + std::to_string(capacity) + " bytes",
                       "a request of " + std::to_string(request_bytes) + " bytes inside");
    }
    const std::string kind = words.size() > 1 ? words[1].text : "";
    const std::uint64_t kind_at =
        words.size() > 1 ? words[1].column : words[0].column + words[0].text.size();
    if (kind != "R" && kind != "W") {
      core::fail_input(lines.at(kind_at), "direction", kind,
                       kind.empty() ? "is missing" : "is unknown", "R, W");
    }
    access.is_write = kind == "W";
    if (words.size() > 2) last = parse_time(words[2], lines.at(words[2].column), last);
    access.time = last;
    if (words.size() > 3) {
      core::fail_input(lines.at(words[3].column), "", words[3].text, "is one word too many",
                       "address R|W [time_ns]");
    }
    accesses.push_back(access);
  }
  if (accesses.empty()) {
    core::fail_input({path, 0, 0}, "", "", "holds no request", "lines: address R|W [time_ns]");
  }
  return std::make_unique<Recorded>(std::move(accesses));
}

}  // namespace ridgepoint::cli
