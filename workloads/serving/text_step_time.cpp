// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/text_step_time.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

PlacementSpec placement_spec(const soc::Machine& machine, const TextStepSpec& spec) {
  PlacementSpec placement;
  placement.formats = spec.formats;
  placement.max_tokens = spec.max_batch_tokens;
  placement.max_sampled = std::min(spec.max_num_seqs, spec.max_batch_tokens);
  placement.kv_blocks = spec.kv_blocks;
  placement.block_tokens = spec.block_tokens;
  placement.memory_bytes = spec.memory_bytes;
  placement.panel_rows = machine.config().accel.shape().matrix_cols;
  return placement;
}

}  // namespace

TextStepTime::TextStepTime(soc::Machine& machine, const LoadedModel& model, TextStepSpec spec)
    : machine_(machine),
      spec_(std::move(spec)),
      placement_(model, placement_spec(machine, spec_)),
      runner_(machine, false) {
  StepOptions options;
  options.attention_splits = 1;
  require_room(machine_, placement_, options);
}

core::Femtoseconds TextStepTime::step_time(const StepBatch& batch) {
  std::vector<BatchSequence> sequences;
  std::vector<std::size_t> sampling;  // the sequence of every row of logits
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const ServedSequence& from = batch.sequences[i];
    if (static_cast<std::int64_t>(from.tokens.size()) != from.new_tokens) {
      throw core::SimulationError("serving text: a sequence comes without its tokens");
    }
    BatchSequence one;
    one.new_tokens = from.new_tokens;
    one.context = from.context + from.new_tokens;
    one.samples = from.sampled;
    one.blocks.assign(from.block_table.begin(), from.block_table.end());
    one.tokens.assign(from.tokens.begin(), from.tokens.end());
    sequences.push_back(std::move(one));
    if (from.sampled) sampling.push_back(i);
  }
  sampled_.assign(batch.sequences.size(), std::nullopt);
  StepOptions options;
  options.attention_splits = 1;  // a row's bits must not depend on what is computed with it
  options.choose = [&](std::int64_t row, const float* logits) {
    const std::size_t index = sampling[static_cast<std::size_t>(row)];
    const ServedSequence& from = batch.sequences[index];
    const std::uint32_t token =
        spec_.choose(from.request, from.context + from.new_tokens,
                     {logits, static_cast<std::size_t>(placement_.shape().vocab)});
    const auto id = static_cast<std::int32_t>(token);
    sampled_[index] = Sampled{id, id == spec_.stop_token};
  };
  const StepReport report = runner_.run(
      build_step(machine_.config().accel.shape(), placement_, sequences, options), true);
  launches_ += static_cast<std::uint64_t>(report.simulated_launches);
  return machine_.clock().time_of(report.total.cycles);
}

std::optional<StepTimeModel::Sampled> TextStepTime::sampled_token(std::size_t sequence) {
  return sampled_.at(sequence);
}

}  // namespace ridgepoint::workloads
