// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/generator.hpp"

#include <algorithm>
#include <string>

#include "sim/core/error.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {
namespace {

void check(const ModelShape& shape, const GenerateSpec& spec) {
  if (spec.prompt.empty()) core::fail_input({}, "--prompt", "", "has no tokens", "one or more");
  // The last token is generated but never fed back.
  const auto prompt = static_cast<std::int64_t>(spec.prompt.size());
  if (prompt > shape.max_context) {
    core::fail_input({}, "--prompt", std::to_string(prompt) + " tokens",
                     "goes beyond the model " + shape.name,
                     "at most " + std::to_string(shape.max_context) + " tokens");
  }
  const std::int64_t most = shape.max_context - prompt + 1;
  if (spec.steps > most) {
    core::fail_input({}, "--steps", std::to_string(spec.steps),
                     "after a prompt of " + std::to_string(spec.prompt.size()) +
                         " tokens goes beyond the model " + shape.name,
                     "at most " + std::to_string(most) + (most == 1 ? " step" : " steps") +
                         " (context " + std::to_string(shape.max_context) + ")");
  }
}

void add(StepReport& sum, const StepReport& step) {
  for (const KernelReport& row : step.kernels) {
    const auto same = std::find_if(sum.kernels.begin(), sum.kernels.end(),
                                   [&](const KernelReport& r) { return r.name == row.name; });
    if (same == sum.kernels.end()) {
      sum.kernels.push_back(row);
      continue;
    }
    same->launches += row.launches;
    same->flops += row.flops;
    same->model_bytes += row.model_bytes;
    same->activity += row.activity;
  }
  sum.total += step.total;
  sum.flops += step.flops;
  sum.simulated_launches += step.simulated_launches;
  sum.reused_launches += step.reused_launches;
}

}  // namespace

GenerateResult generate(soc::Machine& machine, const LoadedModel& model, const GenerateSpec& spec) {
  const ModelShape& shape = model.shape;
  check(shape, spec);
  const auto prompt = static_cast<std::int64_t>(spec.prompt.size());
  const isa::CoreShape core_shape = machine.config().accel.shape();
  PlacementSpec place;
  place.formats = spec.formats;
  place.max_tokens = spec.use_cache ? prompt : prompt + spec.steps;
  place.kv_blocks = (prompt + spec.steps + place.block_tokens - 1) / place.block_tokens;
  place.memory_bytes = spec.memory_bytes != 0 ? spec.memory_bytes : machine.hbm_bytes();
  place.panel_rows = core_shape.matrix_cols;
  place.expand_rows = place.max_tokens;
  const Placement placement = spec.values ? Placement(model, place) : Placement(model.shape, place);

  GenerateResult result;
  StepRunner runner(machine, false);
  std::vector<std::uint32_t> known = spec.prompt;
  std::uint32_t next = 0;
  StepOptions options;
  options.attention_splits = 1;  // a row's bits must not depend on how much is computed with it
  require_room(machine, placement, options);
  options.choose = [&](std::int64_t, const float* logits) {
    const std::span<const float> row(logits, static_cast<std::size_t>(shape.vocab));
    if (spec.on_logits) spec.on_logits(static_cast<std::int64_t>(result.step_cycles.size()), row);
    next = spec.choose(row);
  };
  BatchSequence sequence;
  for (std::int64_t b = 0; b < place.kv_blocks; ++b) {
    sequence.blocks.push_back(static_cast<std::uint32_t>(b));
  }
  std::int64_t computed = 0;  // tokens whose K and V are in the cache
  for (std::int64_t step = 0; step < spec.steps; ++step) {
    if (!spec.use_cache) computed = 0;
    sequence.context = static_cast<std::int64_t>(known.size());
    sequence.new_tokens = sequence.context - computed;
    sequence.tokens.assign(known.begin() + computed, known.end());
    const StepReport report =
        runner.run(build_step(core_shape, placement, {sequence}, options), spec.values);
    add(result.report, report);
    result.step_cycles.push_back(report.total.cycles);
    result.kv_multiply_adds += sequence.new_tokens * kv_macs_per_token(shape);
    computed = sequence.context;
    if (spec.values && static_cast<std::int64_t>(next) == spec.stop_token) {
      result.stopped = true;
      break;
    }
    result.tokens.push_back(next);
    known.push_back(next);
  }
  if (spec.use_cache) {
    result.cached_numbers = computed * kv_elements_per_token(shape);
    result.cache_bytes = computed * kv_bytes_per_token(shape, spec.formats.kv);
  }
  return result;
}

}  // namespace ridgepoint::workloads
