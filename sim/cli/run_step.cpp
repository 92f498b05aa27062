// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_step.hpp"

#include <algorithm>
#include <numeric>

#include "sim/cli/model_options.hpp"
#include "sim/config/bind_machine.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::cli {
namespace {

constexpr std::int64_t kPrefillTokens = 512;

// A fixed shuffle: blocks of a running server are scattered, not in order.
std::vector<std::uint32_t> shuffled_blocks(std::int64_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0u);
  std::uint64_t state = seed;
  for (std::size_t i = ids.size(); i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(ids[i - 1], ids[(state >> 33) % i]);
  }
  return ids;
}

std::vector<workloads::BatchSequence> batch_of(const StepRequest& request,
                                               std::int64_t block_tokens, std::uint64_t seed) {
  const std::int64_t per_sequence = (request.context + block_tokens - 1) / block_tokens;
  const std::vector<std::uint32_t> ids = shuffled_blocks(per_sequence * request.batch, seed);
  std::vector<workloads::BatchSequence> batch;
  for (std::int64_t i = 0; i < request.batch; ++i) {
    workloads::BatchSequence sequence;
    sequence.new_tokens = request.new_tokens;
    sequence.context = request.context;
    sequence.blocks.assign(ids.begin() + i * per_sequence, ids.begin() + (i + 1) * per_sequence);
    batch.push_back(std::move(sequence));
  }
  return batch;
}

workloads::PlacementSpec placement_of(const config::Options& options, const soc::Machine& machine,
                                      const StepRequest& request) {
  const isa::CoreShape shape = machine.config().accel.shape();
  workloads::PlacementSpec spec;
  spec.formats = formats_of(options);
  spec.max_tokens = request.batch * request.new_tokens;
  spec.max_sampled = request.batch;
  spec.block_tokens = options.integer("serve.block_tokens");
  spec.kv_blocks = request.batch * ((request.context + spec.block_tokens - 1) / spec.block_tokens);
  spec.memory_bytes = static_cast<std::uint64_t>(config::memory_bytes(options));
  spec.workspace_bytes = workloads::step_workspace_bytes(shape, model_of(options), request.batch,
                                                         options.integer("run.attention_splits"));
  spec.panel_rows = shape.matrix_cols;
  spec.assume_fits = options.enabled("run.assume_fits");
  if (model_of(options).mla && request.new_tokens > 1) spec.expand_rows = request.context;
  return spec;
}

}  // namespace

StepRequest step_request_of(const config::Options& options) {
  const bool prefill = options.text("run.phase") == "prefill";
  StepRequest request;
  request.batch = options.integer("run.batch");
  request.new_tokens =
      options.has("run.tokens") ? options.integer("run.tokens") : (prefill ? kPrefillTokens : 1);
  request.context = options.integer("run.context") + request.new_tokens;
  const workloads::ModelShape& model = model_of(options);
  if (request.context > model.max_context) {
    options.fail("run.context",
                 "and " + std::to_string(request.new_tokens) + " new tokens go beyond the model " +
                     model.name,
                 "at most " + std::to_string(model.max_context) + " tokens together");
  }
  return request;
}

workloads::StepReport simulate_step(const config::Options& options, soc::Machine& machine,
                                    const StepRequest& request) {
  const workloads::Placement placement(model_of(options), placement_of(options, machine, request));
  const isa::CoreShape shape = machine.config().accel.shape();
  workloads::StepOptions step_options;
  step_options.attention_splits = options.integer("run.attention_splits");
  step_options.expert_loads = expert_loads_of(options);
  const auto batch = batch_of(request, placement.spec().block_tokens,
                              static_cast<std::uint64_t>(options.integer("general.seed")));
  // What is drawn happens on this machine, not on copies of it.
  const bool drawn = options.has("run.timeline") || options.has("run.vcd");
  workloads::StepRunner runner(machine, !options.enabled("run.no_reuse"),
                               drawn ? 1 : step_workers_of(options));
  return runner.run(workloads::build_step(shape, placement, batch, step_options), false);
}

}  // namespace ridgepoint::cli
