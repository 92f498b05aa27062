// SPDX-License-Identifier: Apache-2.0
#include "workloads/tokenizer/tokenizer.hpp"

#include <charconv>
#include <cmath>
#include <queue>
#include <utility>

#include "sim/core/error.hpp"
#include "workloads/models/binary_file.hpp"

namespace ridgepoint::workloads {
namespace {

constexpr std::size_t kBytes = 256;

std::string byte_name(unsigned byte) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  return std::string("<0x") + kHex[byte >> 4] + kHex[byte & 15] + ">";
}

// "<0x0A>" is the byte 10.
bool parse_byte_name(std::string_view text, char& byte) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return false;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data() + 3, text.data() + 5, value, 16);
  if (error != std::errc() || end != text.data() + 5) return false;
  byte = static_cast<char>(value);
  return true;
}

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Tokens as a doubly linked list, with a queue of the pairs that could merge.
class Merger {
 public:
  Merger(std::vector<TokenId> tokens, const std::vector<Tokenizer::Entry>& entries,
         const std::map<std::string, TokenId, std::less<>>& ids)
      : tokens_(std::move(tokens)), entries_(entries), ids_(ids) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      next_.push_back(i + 1);
      previous_.push_back(i == 0 ? kNone : i - 1);
    }
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) consider(i);
  }

  std::vector<TokenId> run() {
    while (!pairs_.empty()) {
      const Pair best = pairs_.top();
      pairs_.pop();
      if (is_current(best)) merge(best);
    }
    std::vector<TokenId> out;
    for (std::size_t i = 0; i < tokens_.size(); i = next_[i]) out.push_back(tokens_[i]);
    return out;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Pair {
    float score;
    std::size_t left;
    TokenId left_token;
    TokenId right_token;
    TokenId merged;
    bool operator<(const Pair& other) const {  // the top is the best, of equals the leftmost
      return score != other.score ? score < other.score : left > other.left;
    }
  };

  void consider(std::size_t left) {
    const TokenId a = tokens_[left];
    const TokenId b = tokens_[next_[left]];
    const auto found = ids_.find(entries_[static_cast<std::size_t>(a)].text +
                                 entries_[static_cast<std::size_t>(b)].text);
    if (found == ids_.end()) return;
    pairs_.push(
        {entries_[static_cast<std::size_t>(found->second)].score, left, a, b, found->second});
  }

  // A merged-away token is -1, so a pair queued before a change of either side does not match.
  bool is_current(const Pair& pair) const {
    const std::size_t right = next_[pair.left];
    return tokens_[pair.left] == pair.left_token && right < tokens_.size() &&
           tokens_[right] == pair.right_token;
  }

  void merge(const Pair& pair) {
    const std::size_t right = next_[pair.left];
    tokens_[pair.left] = pair.merged;
    tokens_[right] = -1;
    next_[pair.left] = next_[right];
    if (next_[right] < tokens_.size()) {
      previous_[next_[right]] = pair.left;
      consider(pair.left);
    }
    if (previous_[pair.left] != kNone) consider(previous_[pair.left]);
  }

  std::vector<TokenId> tokens_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> previous_;
  std::priority_queue<Pair> pairs_;
  const std::vector<Tokenizer::Entry>& entries_;
  const std::map<std::string, TokenId, std::less<>>& ids_;
};

}  // namespace

Tokenizer::Tokenizer(std::vector<Entry> entries, bool space_prefix)
    : entries_(std::move(entries)), space_prefix_(space_prefix) {
  if (entries_.size() <= static_cast<std::size_t>(kEos)) {
    core::fail_input({}, "vocabulary", std::to_string(entries_.size()), "is too small",
                     "at least 3 tokens");
  }
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    ids_.emplace(entries_[id].text, static_cast<TokenId>(id));  // of equal texts the first
  }
}

Tokenizer Tokenizer::byte_level() {
  std::vector<Entry> entries{{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}};
  for (unsigned byte = 0; byte < kBytes; ++byte) entries.push_back({byte_name(byte), 0});
  return Tokenizer(std::move(entries), false);
}

TokenId Tokenizer::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? -1 : found->second;
}

std::vector<TokenId> Tokenizer::code_points(std::string_view text) const {
  std::vector<TokenId> tokens;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && end - begin < 4 && continues_code_point(text[end])) ++end;
    const std::string_view point = text.substr(begin, end - begin);
    if (const TokenId id = find(point); id >= 0) {
      tokens.push_back(id);
    } else if (entries_.size() < kFirstByte + kBytes) {
      core::fail_input({}, "--prompt", std::string(point), "has no token",
                       "the vocabulary's own characters");
    } else {
      for (const char byte : point) {
        tokens.push_back(static_cast<TokenId>(static_cast<unsigned char>(byte)) + kFirstByte);
      }
    }
    begin = end;
  }
  return tokens;
}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens{kBos};
  if (text.empty()) return tokens;
  const std::string prefixed = space_prefix_ ? " " + std::string(text) : std::string(text);
  for (const TokenId id : Merger(code_points(prefixed), entries_, ids_).run()) tokens.push_back(id);
  return tokens;
}

std::string Tokenizer::decode(TokenId previous, TokenId token) const {
  if (token < 0 || token >= vocab()) {
    core::fail_input({}, "token", std::to_string(token), "is not in the vocabulary",
                     "0 to " + std::to_string(vocab() - 1));
  }
  if (token == kBos || token == kEos) return {};
  const std::string& text = entries_[static_cast<std::size_t>(token)].text;
  char byte = 0;
  if (parse_byte_name(text, byte)) return std::string(1, byte);
  const bool drop_space = previous == kBos && space_prefix_ && text.starts_with(' ');
  return drop_space ? text.substr(1) : text;
}

std::string Tokenizer::decode(std::span<const TokenId> tokens) const {
  std::string text;
  TokenId previous = 0;
  for (const TokenId token : tokens) {
    text += decode(previous, token);
    previous = token;
  }
  return text;
}

Tokenizer load_tokenizer(const std::string& path, std::int64_t vocab) {
  BinaryFile file(path);
  Cursor cursor(file);
  const auto longest = cursor.take<std::int32_t>("longest token");
  if (longest < 1 || longest > (1 << 16)) {
    file.fail("longest token", std::to_string(longest), "is out of range", 0, "1 to 65536");
  }
  std::vector<Tokenizer::Entry> entries;
  while (cursor.remaining() > 0) {
    const std::string what = "token " + std::to_string(entries.size());
    const auto score = cursor.take<float>(what + " score");
    if (!std::isfinite(score)) {
      file.fail(what + " score", std::to_string(score), "is not finite", cursor.offset() - 4,
                "a number");
    }
    const auto length = cursor.take<std::int32_t>(what + " length");
    if (length < 0 || length > longest) {
      file.fail(what + " length", std::to_string(length), "is out of range", cursor.offset() - 4,
                "0 to " + std::to_string(longest));
    }
    entries.push_back({cursor.take_text(static_cast<std::uint64_t>(length), what), score});
  }
  const auto count = static_cast<std::int64_t>(entries.size());
  if (count <= kEos || (vocab > 0 && count != vocab)) {
    core::fail_input({path, 0, 0}, "tokens", std::to_string(count), "are not those of the model",
                     vocab > 0 ? std::to_string(vocab) : "at least 3");
  }
  return Tokenizer(std::move(entries), true);
}

}  // namespace ridgepoint::workloads
