// SPDX-License-Identifier: Apache-2.0
// Options of text generation: the weights, the prompt, how tokens are chosen.
#include "sim/config/option_groups.hpp"

namespace ridgepoint::config {

OptionGroup generate_options() {
  using enum OptionType;
  static constexpr OptionRow kRows[] = {
      {.key = "generate.weights",
       .flag = "weights",
       .unit = "path: llama2.c .bin, .safetensors or .gguf",
       .help = "the model's values; a small model made from --seed if not given",
       .column = "weights"},
      {.key = "generate.tokenizer",
       .flag = "tokenizer",
       .unit = "path of a llama2.c tokenizer",
       .help = "how text becomes tokens; by default one token per byte",
       .column = "tokenizer"},
      {.key = "generate.prompt",
       .flag = "prompt",
       .fallback = "Once upon a time",
       .help = "the text to continue",
       .column = "prompt"},
      {.key = "generate.prompt_tokens",
       .flag = "prompt_tokens",
       .unit = "token ids, separated by commas",
       .help = "the prompt as tokens; wins over --prompt",
       .column = "prompt_tokens"},
      {.key = "generate.steps",
       .flag = "steps",
       .type = kInteger,
       .fallback = "32",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 1048576,
       .help = "tokens to generate at most",
       .column = "steps_count"},
      {.key = "generate.no_cache",
       .flag = "no_cache",
       .type = kSwitch,
       .fallback = "false",
       .help = "keep no KV cache: every step computes all tokens again",
       .column = "no_cache"},
      {.key = "generate.dtype",
       .flag = "dtype",
       .type = kChoice,
       .fallback = "fp16",
       .accepted = "fp32|fp16|bf16",
       .help = "format of stored weights and cache; activations and sums are fp32",
       .column = "dtype"},
      {.key = "generate.temperature",
       .flag = "temperature",
       .type = kReal,
       .fallback = "0",
       .minimum = 0,
       .maximum = 1000,
       .help = "0 takes the best token; above, tokens are drawn with --seed",
       .column = "temperature"},
      {.key = "generate.top_p",
       .flag = "top_p",
       .type = kReal,
       .fallback = "1",
       .minimum = 1e-6,
       .maximum = 1,
       .help = "draw only from the best tokens that together have this probability",
       .column = "top_p"},
  };
  return {"Generation", "generate", kRows};
}

}  // namespace ridgepoint::config
