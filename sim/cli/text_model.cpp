// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/text_model.hpp"

#include "sim/core/utf8.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"

namespace ridgepoint::cli {
namespace {

// The model that needs no file: small, random, always the same for a seed.
constexpr std::string_view kSeededModel = "toy-2x16";

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
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin != 0) out += "\\n";
    out += core::printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace ridgepoint::cli
