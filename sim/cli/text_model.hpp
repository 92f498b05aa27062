// SPDX-License-Identifier: Apache-2.0
// What commands that make real text share: the model's values, its tokenizer, tokens as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/options.hpp"
#include "workloads/models/loaded_model.hpp"
#include "workloads/tokenizer/tokenizer.hpp"

namespace ridgepoint::cli {

// --weights, or a small model made from the seed.
workloads::LoadedModel text_model_of(const config::Options& options);

// --tokenizer, or one token per byte.
workloads::Tokenizer tokenizer_of(const config::Options& options,
                                  const workloads::LoadedModel& model);

// Throws InputError naming `key` and what is accepted unless the tokenizer's tokens are the model's.
void require_text(const config::Options& options, std::string_view key, const std::string& accepted,
                  const workloads::LoadedModel& model, const workloads::Tokenizer& tokenizer);

// Token ids separated by blanks.
std::string joined(const std::vector<std::uint32_t>& tokens);

// Any bytes may come out of a model: what is neither printable ASCII nor UTF-8 is shown as \xNN.
std::string printable(const std::string& text);

}  // namespace ridgepoint::cli
