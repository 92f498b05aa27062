// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/text_model.hpp"

#include <cstdio>

#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"

namespace ridgepoint::cli {
namespace {

// The model that needs no file: small, random, always the same for a seed.
constexpr std::string_view kSeededModel = "toy-2x16";

// Length of the UTF-8 sequence that starts at `at`, or 0 (Unicode 15, table 3-7, by lead byte and
// continuation bytes; over-long forms are not told apart).
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0xc2   ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

workloads::LoadedModel text_model_of(const config::Options& options) {
  if (options.has("generate.weights")) {
    return workloads::load_weights(options.text("generate.weights"));
  }
  return workloads::make_seeded_model(workloads::find_model(kSeededModel),
                                      static_cast<std::uint64_t>(options.integer("general.seed")));
}

workloads::Tokenizer tokenizer_of(const config::Options& options,
                                  const workloads::LoadedModel& model) {
  if (!options.has("generate.tokenizer")) return workloads::Tokenizer::byte_level();
  return workloads::load_tokenizer(options.text("generate.tokenizer"), model.shape.vocab);
}

void require_text(const config::Options& options, std::string_view key, const std::string& accepted,
                  const workloads::LoadedModel& model, const workloads::Tokenizer& tokenizer) {
  if (tokenizer.vocab() == model.shape.vocab) return;
  options.fail(key,
               "cannot be encoded: the model " + model.shape.name + " has " +
                   std::to_string(model.shape.vocab) + " tokens, the tokenizer " +
                   std::to_string(tokenizer.vocab()),
               accepted);
}

std::string joined(const std::vector<std::uint32_t>& tokens) {
  std::string text;
  for (const std::uint32_t token : tokens) {
    if (!text.empty()) text += ' ';
    text += std::to_string(token);
  }
  return text;
}

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7f) {
      out += text[i];
    } else if (const std::size_t length = utf8_length(text, i)) {
      out += text.substr(i, length);
      i += length - 1;
    } else if (text[i] == '\n') {
      out += "\\n";
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += escaped;
    }
  }
  return out;
}

}  // namespace ridgepoint::cli
