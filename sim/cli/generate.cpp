// SPDX-License-Identifier: Apache-2.0
// generate: real text on the simulated machine.
#include <charconv>
#include <cstdio>
#include <numeric>

#include "kernels/sampling/reference.hpp"
#include "sim/cli/commands.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/core/error.hpp"
#include "workloads/models/registry.hpp"
#include "workloads/models/weight_files.hpp"
#include "workloads/step/generator.hpp"
#include "workloads/tokenizer/tokenizer.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::TokenId;

// The model that needs no file: small, random, always the same for a seed.
constexpr std::string_view kSeededModel = "toy-2x16";

workloads::LoadedModel model_from(const config::Options& options) {
  if (options.has("generate.weights")) {
    return workloads::load_weights(options.text("generate.weights"));
  }
  return workloads::make_seeded_model(workloads::find_model(kSeededModel),
                                      static_cast<std::uint64_t>(options.integer("general.seed")));
}

std::vector<TokenId> token_list(const config::Options& options, std::int64_t vocab) {
  std::vector<TokenId> tokens;
  const std::string& text = options.text("generate.prompt_tokens");
  const std::string accepted = "ids 0 .. " + std::to_string(vocab - 1) + " separated by commas";
  for (const char *at = text.data(), *end = at + text.size(); at <= end;) {
    TokenId id = -1;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || id < 0 || id >= vocab || (next != end && *next != ',')) {
      options.fail("generate.prompt_tokens", "is not a list of token ids", accepted);
    }
    tokens.push_back(id);
    if (next == end) break;
    at = next + 1;
  }
  return tokens;
}

std::string joined(const std::vector<std::uint32_t>& tokens) {
  std::string text;
  for (const std::uint32_t token : tokens) {
    if (!text.empty()) text += ' ';
    text += std::to_string(token);
  }
  return text;
}

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

// Any bytes may come out of a model: what is neither printable ASCII nor UTF-8 is shown as \xNN.
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

double mean(const std::vector<core::Cycle>& cycles, std::size_t from) {
  if (cycles.size() <= from) return 0;
  const auto first = cycles.begin() + static_cast<std::ptrdiff_t>(from);
  return static_cast<double>(std::accumulate(first, cycles.end(), core::Cycle{0})) /
         static_cast<double>(cycles.size() - from);
}

void fill(results::Row& row, const soc::Machine& machine, const workloads::LoadedModel& model,
          const workloads::GenerateSpec& spec, const workloads::GenerateResult& result,
          const std::string& text) {
  const double period = machine.clock().period_ns();
  std::int64_t read = 0, written = 0;
  for (std::size_t t = 0; t < core::kTrafficKinds; ++t) {
    read += result.report.total.hbm.read_pin_bytes[t];
    written += result.report.total.hbm.write_pin_bytes[t];
  }
  row.set("machine", machine.config().name)
      .set("model", model.shape.name)
      .set("prompt_tokens_count", static_cast<std::int64_t>(spec.prompt.size()))
      .set("generated_tokens_count", static_cast<std::int64_t>(result.tokens.size()))
      .set("generated_tokens", joined(result.tokens))
      .set("text", text)
      .set("kv_multiply_adds_count", result.kv_multiply_adds)
      .set("cached_numbers_count", result.cached_numbers)
      .set("cache_bytes", result.cache_bytes)
      .set("time_ns", static_cast<double>(result.report.total.cycles) * period)
      .set("cycles", result.report.total.cycles)
      .set("flops", static_cast<std::int64_t>(result.report.flops))
      .set("hbm_read_bytes", read)
      .set("hbm_write_bytes", written)
      .set("flop_per_byte", result.report.flops / static_cast<double>(read + written))
      .set("ttft_ns", static_cast<double>(result.step_cycles.front()) * period);
  if (result.step_cycles.size() > 1) row.set("tpot_ns", mean(result.step_cycles, 1) * period);
}

}  // namespace

int generate_command(const Context& context) {
  const config::Options& options = context.options;
  const workloads::LoadedModel model = model_from(options);
  const workloads::Tokenizer tokenizer =
      options.has("generate.tokenizer")
          ? workloads::load_tokenizer(options.text("generate.tokenizer"), model.shape.vocab)
          : workloads::Tokenizer::byte_level();
  const bool as_tokens = options.has("generate.prompt_tokens");
  // The bytes' own vocabulary is that of the built-in model, of no file.
  const bool has_text = tokenizer.vocab() == model.shape.vocab;
  if (!as_tokens && !has_text) {
    options.fail("generate.prompt",
                 "cannot be encoded: the model " + model.shape.name + " has " +
                     std::to_string(model.shape.vocab) + " tokens, the tokenizer " +
                     std::to_string(tokenizer.vocab()),
                 "--tokenizer with the model's own tokens, or --prompt-tokens");
  }
  const std::vector<TokenId> prompt = as_tokens ? token_list(options, model.shape.vocab)
                                                : tokenizer.encode(options.text("generate.prompt"));

  kernels::SamplingConfig sampling;
  sampling.temperature = options.real("generate.temperature");
  sampling.top_p = options.real("generate.top_p");
  sampling.seed = static_cast<std::uint64_t>(options.integer("general.seed"));
  kernels::check_sampling(sampling);

  workloads::GenerateSpec spec;
  spec.prompt.assign(prompt.begin(), prompt.end());
  spec.steps = options.integer("generate.steps");
  spec.use_cache = !options.enabled("generate.no_cache");
  // A random model never means to stop.
  spec.stop_token = options.has("generate.weights") ? workloads::kBos : -1;
  const core::DType dtype = *core::dtype_from_name(options.text("generate.dtype"));
  // Activations stay fp32: rounding them would decide between close tokens by chance.
  spec.formats = {dtype, dtype, core::DType::kFp32};
  std::uint64_t step = 0;
  spec.choose = [&](std::span<const float> logits) {
    return static_cast<std::uint32_t>(kernels::sample_reference(logits, sampling, step++));
  };

  results::TableWriter table = context.table("generate");
  soc::Machine machine(config::machine_config(options));
  const workloads::GenerateResult result = workloads::generate(machine, model, spec);
  std::string text;
  if (has_text) {
    const std::vector<TokenId> tokens(result.tokens.begin(), result.tokens.end());
    TokenId previous = prompt.back();
    for (const TokenId token : tokens) {
      text += tokenizer.decode(previous, token);
      previous = token;
    }
  }
  results::Row row(results::table("generate"), options);
  fill(row, machine, model, spec, result, printable(text));
  table.add(row);
  table.finish();

  char line[320];
  std::snprintf(
      line, sizeof line,
      "%zu prompt + %zu generated tokens in %lld cycles (%.1f us); first token %.1f us, "
      "then %.1f us each\nK/V multiply-adds %lld; cache holds %lld numbers, %lld bytes",
      spec.prompt.size(), result.tokens.size(), static_cast<long long>(result.report.total.cycles),
      static_cast<double>(result.report.total.cycles) * machine.clock().period_ns() / 1e3,
      static_cast<double>(result.step_cycles.front()) * machine.clock().period_ns() / 1e3,
      mean(result.step_cycles, 1) * machine.clock().period_ns() / 1e3,
      static_cast<long long>(result.kv_multiply_adds),
      static_cast<long long>(result.cached_numbers), static_cast<long long>(result.cache_bytes));
  if (has_text)
    context.say(printable(as_tokens ? "" : options.text("generate.prompt")) + printable(text));
  context.say("tokens: " + joined(result.tokens));
  context.say(line);
  return 0;
}

}  // namespace ridgepoint::cli
