// SPDX-License-Identifier: Apache-2.0
// Text to token ids and back, by merging the best-scoring pair (sentencepiece BPE as in llama2.c).
// Ids 0, 1, 2 are unknown, beginning and end; byte b of a text without a token is id b + 3.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint::workloads {

using TokenId = std::int32_t;
inline constexpr TokenId kBos = 1;
inline constexpr TokenId kEos = 2;
inline constexpr TokenId kFirstByte = 3;

class Tokenizer {
 public:
  struct Entry {
    std::string text;
    float score = 0;
  };

  // `entries` by id. With fewer than 259 of them there is no byte fallback: encode then throws on
  // a code point that has no token. space_prefix: a text is encoded as if a space stood before it.
  Tokenizer(std::vector<Entry> entries, bool space_prefix);

  // 259 ids: the three special ones and every byte. Needs no file; "hello" is 1 + 5 tokens.
  static Tokenizer byte_level();

  std::int64_t vocab() const { return static_cast<std::int64_t>(entries_.size()); }

  // BOS, then the text's tokens; of equally good pairs the leftmost merges first. InputError as
  // said above. O(n log n).
  std::vector<TokenId> encode(std::string_view text) const;

  // The bytes of one token; after BOS a leading space (the prefix) is dropped. BOS and EOS give
  // "". Throws InputError for an id outside the vocabulary.
  std::string decode(TokenId previous, TokenId token) const;
  std::string decode(std::span<const TokenId> tokens) const;

 private:
  TokenId find(std::string_view text) const;  // -1 if there is none
  std::vector<TokenId> code_points(std::string_view text) const;

  std::vector<Entry> entries_;
  std::map<std::string, TokenId, std::less<>> ids_;
  bool space_prefix_;
};

// Reads a llama2.c tokenizer file: int32 longest token, then per token fp32 score, int32 length and
// the bytes, to the end of the file. vocab > 0: how many there must be. Throws InputError naming
// file, token and offset.
Tokenizer load_tokenizer(const std::string& path, std::int64_t vocab = 0);

}  // namespace ridgepoint::workloads
