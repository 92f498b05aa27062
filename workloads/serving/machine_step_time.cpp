// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/machine_step_time.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "sim/core/error.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

std::int64_t power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

// Grid points lie beyond the largest step and the longest context: room for them.
ModelShape roomy(ModelShape shape, const MachineStepSpec& spec) {
  shape.max_context = 2 * power_of_two(shape.max_context + spec.max_batch_tokens);
  return shape;
}

PlacementSpec placement_spec(const soc::Machine& machine, const ModelShape& shape,
                             const MachineStepSpec& spec, bool grid) {
  const isa::CoreShape core = machine.config().accel.shape();
  PlacementSpec placement;
  placement.formats = spec.formats;
  placement.max_tokens = grid ? 2 * power_of_two(spec.max_batch_tokens) : spec.max_batch_tokens;
  placement.max_sampled = std::min(placement.max_tokens,
                                   grid ? 2 * power_of_two(spec.max_num_seqs) : spec.max_num_seqs);
  placement.kv_blocks = spec.kv_blocks;
  placement.block_tokens = spec.block_tokens;
  // A grid's points reach beyond the largest step; only the steps themselves must fit.
  placement.memory_bytes =
      grid ? std::max(spec.memory_bytes, machine.hbm_bytes()) : spec.memory_bytes;
  placement.workspace_bytes =
      step_workspace_bytes(core, shape, placement.max_sampled, spec.attention_splits);
  placement.panel_rows = core.matrix_cols;
  return placement;
}

}  // namespace

MachineKernelTimes::MachineKernelTimes(soc::Machine& machine, const ModelShape& shape,
                                       const MachineStepSpec& spec)
    : machine_(machine),
      placement_(roomy(shape, spec), placement_spec(machine, shape, spec, true)),
      runner_(machine, true),
      order_(static_cast<std::size_t>(spec.kv_blocks)) {
  options_.attention_splits = spec.attention_splits;
  std::iota(order_.begin(), order_.end(), 0u);
  Random random(spec.seed);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
}

BatchSequence MachineKernelTimes::sequence(std::int64_t new_tokens, std::int64_t context,
                                           bool samples) {
  BatchSequence one;
  one.new_tokens = new_tokens;
  one.context = context;
  one.samples = samples;
  const std::int64_t block = placement_.spec().block_tokens;
  for (std::int64_t held = 0; held < context; held += block) {
    one.blocks.push_back(order_[next_block_]);
    next_block_ = (next_block_ + 1) % order_.size();
  }
  return one;
}

core::Femtoseconds MachineKernelTimes::time_of(const std::vector<BatchSequence>& batch,
                                               bool attention) {
  std::vector<isa::Kernel> kernels =
      build_step(machine_.config().accel.shape(), placement_, batch, options_);
  std::erase_if(kernels, [attention](const isa::Kernel& kernel) {
    return (kernel.family == "attention") != attention;
  });
  next_block_ = 0;
  return machine_.clock().time_of(runner_.run(kernels, false).total.cycles);
}

core::Femtoseconds MachineKernelTimes::linear_part(std::int64_t tokens, std::int64_t sampled) {
  std::vector<BatchSequence> batch;
  for (std::int64_t i = 0; i < sampled; ++i) batch.push_back(sequence(1, 1, true));
  if (tokens > sampled) {
    batch.push_back(sequence(tokens - sampled, tokens - sampled, false));
  }
  return time_of(batch, false);
}

core::Femtoseconds MachineKernelTimes::decode_attention(std::int64_t batch, std::int64_t context) {
  std::vector<BatchSequence> sequences;
  for (std::int64_t i = 0; i < batch; ++i) {
    sequences.push_back(sequence(1, std::max<std::int64_t>(1, context), false));
  }
  return time_of(sequences, true);
}

core::Femtoseconds MachineKernelTimes::prefill_attention(std::int64_t new_tokens,
                                                         std::int64_t context) {
  return time_of({sequence(new_tokens, context + new_tokens, false)}, true);
}

std::optional<core::Femtoseconds> MachineKernelTimes::mixed_decode_attention(
    std::span<const std::int64_t> contexts) {
  std::vector<BatchSequence> sequences;
  for (const std::int64_t context : contexts) sequences.push_back(sequence(1, context, false));
  return time_of(sequences, true);
}

ExactStepTime::ExactStepTime(soc::Machine& machine, const ModelShape& shape,
                             const MachineStepSpec& spec)
    : machine_(machine),
      placement_(shape, placement_spec(machine, shape, spec, false)),
      runner_(machine, true) {
  options_.attention_splits = spec.attention_splits;
}

core::Femtoseconds ExactStepTime::step_time(const StepBatch& batch) {
  std::vector<BatchSequence> sequences;
  for (const ServedSequence& from : batch.sequences) {
    BatchSequence one;
    one.new_tokens = from.new_tokens;
    one.context = from.context + from.new_tokens;
    one.samples = from.sampled;
    one.blocks.assign(from.block_table.begin(), from.block_table.end());
    sequences.push_back(std::move(one));
  }
  const auto kernels = build_step(machine_.config().accel.shape(), placement_, sequences, options_);
  return machine_.clock().time_of(runner_.run(kernels, false).total.cycles);
}

}  // namespace ridgepoint::workloads
