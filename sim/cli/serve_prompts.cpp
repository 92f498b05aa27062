// SPDX-License-Identifier: Apache-2.0
// Prompts from a file, one per line, served together by a model with values: paged, shared by
// prefix, preempted and chunked as a trace would be, every step computed on the machine.
#include "sim/cli/serve_prompts.hpp"

#include <cmath>
#include <map>
#include <sstream>

#include "kernels/sampling/reference.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/serve_report.hpp"
#include "sim/cli/text_model.hpp"
#include "sim/config/bind_machine.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text_lines.hpp"
#include "workloads/serving/text_step_time.hpp"
#include "workloads/step/generator.hpp"

namespace ridgepoint::cli {
namespace {

using workloads::TokenId;

struct Prompt {
  std::string text;
  std::vector<TokenId> tokens;
};

struct Served {
  workloads::RequestRecord record;
  TextResult text;
};

std::vector<Prompt> prompts_of(const config::Options& options,
                               const workloads::Tokenizer& tokenizer) {
  core::TextLines lines(options.text("serve.prompts"));
  std::vector<Prompt> prompts;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) core::fail_input(lines.at(1), "prompts", "", "blank line", "a prompt");
    prompts.push_back({std::string(line), tokenizer.encode(line)});
  }
  if (prompts.empty()) {
    core::fail_input({lines.name(), 0, 0}, "prompts", "", "has no lines", "one prompt per line");
  }
  return prompts;
}

class PromptSource final : public workloads::TraceSource {
 public:
  PromptSource(const std::vector<Prompt>& prompts, std::int64_t outputs, workloads::Nanoseconds gap)
      : prompts_(prompts), outputs_(outputs), gap_(gap) {}
  bool next(workloads::TraceRequest& request) override {
    if (at_ == prompts_.size()) return false;
    request = {};
    request.arrival = static_cast<std::int64_t>(at_) * gap_;
    request.prompt_tokens = static_cast<std::int64_t>(prompts_[at_].tokens.size());
    request.output_tokens = outputs_;
    request.line = ++at_;
    return true;
  }
  const workloads::TraceProblems& problems() const override { return problems_; }

 private:
  const std::vector<Prompt>& prompts_;
  std::int64_t outputs_;
  workloads::Nanoseconds gap_;
  std::size_t at_ = 0;
  workloads::TraceProblems problems_;
};

void check_options(const config::Options& options) {
  if (options.has("serve.trace")) {
    options.fail("serve.trace", "cannot be served together with --prompts", "one of the two");
  }
  if (options.text("serve.preemption") == "swap") {
    options.fail("serve.preemption", "moves no values, so text would be lost",
                 "recompute with --prompts");
  }
}

// The whole run: one model, one machine, the prompts served once together.
class PromptRun {
 public:
  explicit PromptRun(const Context& context);
  int run();

 private:
  ServeSetting setting();
  std::uint32_t choose(std::span<const float> logits, std::int64_t position,
                       std::int64_t prompt) const;
  workloads::ServingSummary serve(workloads::EngineObservers observers, soc::Machine& machine);
  void keep(const workloads::RequestRecord& record);
  std::string decoded(const Prompt& prompt, const std::vector<std::uint32_t>& tokens) const;
  bool same_alone(soc::Machine& machine, const Served& served) const;
  std::string text_of() const;

  const Context& context_;
  const config::Options& options_;
  workloads::LoadedModel model_;
  workloads::Tokenizer tokenizer_;
  std::vector<Prompt> prompts_;
  std::int64_t steps_;
  kernels::SamplingConfig sampling_;
  workloads::Formats formats_;
  std::int64_t stop_;
  ServeSetting setting_;
  std::vector<Served> served_;  // in order of finishing
};

PromptRun::PromptRun(const Context& context)
    : context_(context),
      options_(context.options),
      model_(text_model_of(options_)),
      tokenizer_(tokenizer_of(options_, model_)),
      steps_(options_.integer("generate.steps")),
      formats_(formats_of(options_)),
      // A random model never means to stop.
      stop_(options_.has("generate.weights") ? workloads::kBos : -1) {
  require_text(options_, "serve.prompts", "--tokenizer with the model's own tokens", model_,
               tokenizer_);
  prompts_ = prompts_of(options_, tokenizer_);
  sampling_.temperature = options_.real("generate.temperature");
  sampling_.top_p = options_.real("generate.top_p");
  sampling_.seed = static_cast<std::uint64_t>(options_.integer("general.seed"));
  kernels::check_sampling(sampling_);
  // Rounded activations would decide between close tokens by chance.
  formats_.activations = core::DType::kFp32;
  setting_ = setting();
}

// Cache blocks are real memory of this computer: by default no more than all prompts need at once.
ServeSetting PromptRun::setting() {
  ServeSetting setting = serve_setting_of(options_, model_.shape);
  setting.trace = options_.text("serve.prompts");
  if (options_.has("serve.kv_blocks")) return setting;
  const std::int64_t size = options_.integer("serve.block_tokens");
  const bool reserves = options_.text("serve.kv_policy") != "paged";
  std::int64_t blocks = 1;
  for (const Prompt& prompt : prompts_) {
    const std::int64_t length = static_cast<std::int64_t>(prompt.tokens.size()) + steps_;
    const std::int64_t most = std::max(2 * length, options_.integer("serve.reserve_tokens"));
    blocks += ((reserves ? most : length) + size - 1) / size;
  }
  setting.kv_blocks = std::min(setting.kv_blocks, blocks);
  return setting;
}

// The same draw whether the request is served with others or alone.
std::uint32_t PromptRun::choose(std::span<const float> logits, std::int64_t position,
                                std::int64_t prompt) const {
  return static_cast<std::uint32_t>(
      kernels::sample_reference(logits, sampling_, static_cast<std::uint64_t>(position - prompt)));
}

workloads::ServingSummary PromptRun::serve(workloads::EngineObservers observers,
                                           soc::Machine& machine) {
  workloads::TextStepSpec spec;
  spec.formats = formats_;
  spec.kv_blocks = setting_.kv_blocks;
  spec.block_tokens = options_.integer("serve.block_tokens");
  spec.max_batch_tokens = options_.integer("serve.max_batch_tokens");
  spec.max_num_seqs = options_.integer("serve.max_num_seqs");
  spec.memory_bytes = static_cast<std::uint64_t>(config::memory_bytes(options_));
  spec.stop_token = stop_;
  spec.choose = [this](std::uint64_t request, std::int64_t position,
                       std::span<const float> logits) {
    const Prompt& prompt = prompts_[static_cast<std::size_t>(request)];
    return choose(logits, position, static_cast<std::int64_t>(prompt.tokens.size()));
  };
  workloads::TextStepTime steps(machine, model_, spec);
  const auto kv = workloads::make_kv_memory(kv_options_of(options_, setting_, model_.shape.name));
  const auto scheduler = workloads::make_scheduler(options_.text("serve.scheduler"));
  observers.request = [this](const workloads::RequestRecord& record) { keep(record); };
  workloads::Engine engine(engine_options_of(options_, setting_), *kv, *scheduler, steps,
                           std::move(observers));
  const workloads::Nanoseconds gap =
      options_.has("trace.rate") ? std::llround(1e9 / options_.real("trace.rate")) : 0;
  PromptSource source(prompts_, steps_, gap);
  return engine.run(source, [this](workloads::Request& request) {
    request.tokens = prompts_[static_cast<std::size_t>(request.id)].tokens;
  });
}

void PromptRun::keep(const workloads::RequestRecord& record) {
  Served served{record, {}};
  const auto prompt = static_cast<std::size_t>(record.prompt_tokens);
  for (std::size_t i = prompt; i < record.tokens.size(); ++i) {
    if (record.tokens[i] != stop_) {
      served.text.tokens.push_back(static_cast<std::uint32_t>(record.tokens[i]));
    }
  }
  served.record.tokens = {};
  served.text.text =
      printable(decoded(prompts_[static_cast<std::size_t>(record.id)], served.text.tokens));
  served_.push_back(std::move(served));
}

std::string PromptRun::decoded(const Prompt& prompt,
                               const std::vector<std::uint32_t>& tokens) const {
  std::string text;
  TokenId previous = prompt.tokens.back();
  for (const std::uint32_t token : tokens) {
    text += tokenizer_.decode(previous, static_cast<TokenId>(token));
    previous = static_cast<TokenId>(token);
  }
  return text;
}

bool PromptRun::same_alone(soc::Machine& machine, const Served& served) const {
  const Prompt& prompt = prompts_[static_cast<std::size_t>(served.record.id)];
  workloads::GenerateSpec spec;
  spec.prompt.assign(prompt.tokens.begin(), prompt.tokens.end());
  spec.steps = steps_;
  spec.stop_token = stop_;
  spec.formats = formats_;
  std::int64_t step = 0;
  spec.choose = [&](std::span<const float> logits) { return choose(logits, step++, 0); };
  return workloads::generate(machine, model_, spec).tokens == served.text.tokens;
}

std::string PromptRun::text_of() const {
  constexpr std::size_t kShown = 20;
  std::map<std::uint64_t, const Served*> by_id;
  for (const Served& one : served_) by_id[one.record.id] = &one;
  std::ostringstream text;
  for (const auto& [id, one] : by_id) {
    if (id >= kShown) break;
    text << (id > 0 ? "\n" : "") << "line " << id + 1 << ": "
         << printable(prompts_[static_cast<std::size_t>(id)].text) << " |" << one->text.text;
    const auto outcome = static_cast<std::size_t>(one->record.outcome);
    if (outcome != 0) text << " (rejected: " << workloads::kOutcomeNames[outcome] << ')';
  }
  if (by_id.size() > kShown) {
    text << "\n... " << by_id.size() - kShown << " more; --requests-csv has all of them";
  }
  return text.str();
}

int PromptRun::run() {
  ServeTables tables(context_, setting_);
  soc::Machine machine(config::machine_config(options_));
  const workloads::ServingSummary summary = serve(tables.observers(), machine);
  std::int64_t checked = 0;
  std::int64_t different = 0;
  for (Served& served : served_) {
    if (options_.enabled("serve.check_alone") &&
        served.record.outcome == workloads::Outcome::kCompleted) {
      served.text.same_alone = same_alone(machine, served);
      ++checked;
      different += *served.text.same_alone ? 0 : 1;
    }
    tables.add_request(served.record, &served.text);
  }
  context_.say(text_of());
  tables.finish(summary, nullptr, {}, {});
  if (checked > 0) {
    context_.say(std::to_string(checked - different) + " of " + std::to_string(checked) +
                 " requests got exactly the tokens they get alone");
  }
  return different > 0 ? 1 : 0;
}

}  // namespace

int serve_prompts(const Context& context) {
  check_options(context.options);
  return PromptRun(context).run();
}

}  // namespace ridgepoint::cli
