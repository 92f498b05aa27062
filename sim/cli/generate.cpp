// SPDX-License-Identifier: Apache-2.0
// generate: real text on the simulated machine.
#include <charconv>
#include <cstdio>
#include <numeric>

#include "kernels/sampling/reference.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/text_model.hpp"
#include "sim/cli/timeline.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/core/error.hpp"
#include "workloads/step/generator.hpp"
#include "workloads/tokenizer/tokenizer.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::TokenId;

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
  const workloads::LoadedModel model = text_model_of(options);
  const workloads::Tokenizer tokenizer = tokenizer_of(options, model);
  const bool as_tokens = options.has("generate.prompt_tokens");
  // The bytes' own vocabulary is that of the built-in model, of no file.
  const bool has_text = tokenizer.vocab() == model.shape.vocab;
  if (!as_tokens) {
    require_text(options, "generate.prompt",
                 "--tokenizer with the model's own tokens, or --prompt-tokens", model, tokenizer);
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
  spec.memory_bytes = static_cast<std::uint64_t>(config::memory_bytes(options));
  std::uint64_t step = 0;
  spec.choose = [&](std::span<const float> logits) {
    return static_cast<std::uint32_t>(kernels::sample_reference(logits, sampling, step++));
  };

  results::TableWriter table = context.table("generate");
  soc::Machine machine(config::machine_config(options));
  Timeline timeline(options, machine);
  const workloads::GenerateResult result = workloads::generate(machine, model, spec);
  timeline.finish();
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
