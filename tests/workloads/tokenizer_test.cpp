// SPDX-License-Identifier: Apache-2.0
// The tokenizer against published token ids, against the plain merge loop, and on damaged files.
#include "workloads/tokenizer/tokenizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/core/error.hpp"
#include "tests/workloads/reference_files.hpp"
#include "tests/workloads/shared_files.hpp"

namespace ridgepoint::workloads {
namespace {

using testing_files::GreedyRow;
using testing_files::read_file;
using testing_files::read_greedy;
using testing_files::shared_file;
using testing_files::TempFile;

const char* const kTokens = "weights/tok512.bin";
const char* const kGreedy = "reference/stories260K_greedy.csv";

TEST(Tokenizer, PublishedPromptsGiveTheirIds) {
  RIDGEPOINT_NEED_SHARED(kTokens);
  RIDGEPOINT_NEED_SHARED(kGreedy);
  const Tokenizer tokenizer = load_tokenizer(shared_file(kTokens), 512);
  const std::vector<GreedyRow> rows = read_greedy(shared_file(kGreedy));
  ASSERT_EQ(rows.size(), 12u);
  for (const GreedyRow& row : rows) {
    EXPECT_EQ(tokenizer.encode(row.prompt), row.prompt_tokens) << row.prompt;
    std::vector<TokenId> all = row.prompt_tokens;
    all.insert(all.end(), row.generated.begin(), row.generated.end());
    EXPECT_EQ(tokenizer.decode(all), row.text);
  }
}

TEST(Tokenizer, TextComesBack) {
  RIDGEPOINT_NEED_SHARED(kTokens);
  const Tokenizer tokenizer = load_tokenizer(shared_file(kTokens), 512);
  for (const char* text : {"x", " two  spaces ", "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80",
                           "line\nbreak\ttab", "broken \xff\xc3 utf-8", "<0x41>"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
    EXPECT_EQ(Tokenizer::byte_level().decode(Tokenizer::byte_level().encode(text)), text);
  }
}

TEST(Tokenizer, ByteLevelHasOneTokenPerByte) {
  const Tokenizer tokenizer = Tokenizer::byte_level();
  EXPECT_EQ(tokenizer.vocab(), 259);
  EXPECT_EQ(tokenizer.encode("hi!"), (std::vector<TokenId>{1, 'h' + 3, 'i' + 3, '!' + 3}));
  EXPECT_EQ(tokenizer.encode(""), std::vector<TokenId>{1});
  EXPECT_EQ(tokenizer.decode(0, 255 + 3), "\xff");
  EXPECT_EQ(tokenizer.decode(0, kEos), "");
  EXPECT_THROW(tokenizer.decode(0, 259), core::InputError);
  EXPECT_THROW(tokenizer.decode(0, -1), core::InputError);
}

// The definition: again and again merge the first of the best pairs.
std::vector<TokenId> plain_merge(const std::vector<Tokenizer::Entry>& entries,
                                 std::vector<TokenId> tokens) {
  while (true) {
    std::size_t best = tokens.size();
    TokenId merged = -1;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const std::string pair = entries[static_cast<std::size_t>(tokens[i])].text +
                               entries[static_cast<std::size_t>(tokens[i + 1])].text;
      for (std::size_t id = 0; id < entries.size(); ++id) {
        if (entries[id].text != pair) continue;
        if (merged < 0 || entries[id].score > entries[static_cast<std::size_t>(merged)].score) {
          best = i;
          merged = static_cast<TokenId>(id);
        }
      }
    }
    if (merged < 0) return tokens;
    tokens[best] = merged;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(Tokenizer, QueueMergesLikeThePlainLoop) {
  // Every text of up to 3 letters from {a, b}; scores with many ties.
  std::vector<Tokenizer::Entry> entries{{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {"a", 0}, {"b", 0}};
  for (const char* text : {"aa", "ab", "ba", "aab", "aba", "bab", "abab", "aaaa", "bb"}) {
    entries.push_back({text, -static_cast<float>((entries.size() * 7) % 4)});
  }
  const Tokenizer tokenizer(entries, false);
  for (unsigned bits = 0; bits < (1u << 11); ++bits) {
    std::string text;
    std::vector<TokenId> letters;
    for (unsigned i = 0; i < 11; ++i) {
      text += (bits >> i) & 1 ? 'b' : 'a';
      letters.push_back((bits >> i) & 1 ? 4 : 3);
    }
    std::vector<TokenId> expected = plain_merge(entries, letters);
    expected.insert(expected.begin(), kBos);
    ASSERT_EQ(tokenizer.encode(text), expected) << text;
  }
  EXPECT_THROW(tokenizer.encode("abc"), core::InputError);  // no c, no bytes
}

TEST(Tokenizer, DamagedFilesAreErrors) {
  RIDGEPOINT_NEED_SHARED(kTokens);
  const std::string good = read_file(shared_file(kTokens));
  const TempFile file("tokens.bin", good);
  EXPECT_NO_THROW(load_tokenizer(file.path(), 512));
  EXPECT_THROW(load_tokenizer(file.path(), 511), core::InputError);
  for (std::size_t at = 0; at < good.size(); at += 3) {
    file.put(at, static_cast<char>(good[at] ^ 255));
    try {
      EXPECT_EQ(load_tokenizer(file.path(), 512).vocab(), 512);
    } catch (const core::InputError&) {
    }
    file.put(at, good[at]);
  }
  for (std::size_t cut = good.size() - 1; cut > 0; cut -= std::min<std::size_t>(cut, 5)) {
    std::filesystem::resize_file(file.path(), cut);
    EXPECT_THROW(load_tokenizer(file.path(), 512), core::InputError) << cut;
  }
}

}  // namespace
}  // namespace ridgepoint::workloads
