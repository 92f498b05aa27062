// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/step.hpp"

#include <algorithm>
#include <memory>

#include "kernels/attention/attention.hpp"
#include "sim/core/error.hpp"
#include "workloads/step/step_builder.hpp"

namespace ridgepoint::workloads {
namespace {

void check_sequence(const Placement& placement, const BatchSequence& sequence) {
  const std::int64_t most = placement.shape().max_context;
  if (sequence.context > most) {
    core::fail_input({}, "--context", std::to_string(sequence.context),
                     "is beyond the model " + placement.shape().name,
                     "at most " + std::to_string(most) + " tokens");
  }
  const std::int64_t block = placement.spec().block_tokens;
  if (static_cast<std::int64_t>(sequence.blocks.size()) * block < sequence.context ||
      sequence.new_tokens < 1 || sequence.context < sequence.new_tokens) {
    throw core::SimulationError("step: a block table does not cover its context");
  }
  for (const std::uint32_t id : sequence.blocks) {
    if (id >= placement.spec().kv_blocks) throw core::SimulationError("step: no such KV block");
  }
}

std::shared_ptr<StepData> tables_of(const Placement& placement,
                                    const std::vector<BatchSequence>& batch) {
  auto data = std::make_shared<StepData>();
  const auto vocab = static_cast<std::uint64_t>(placement.shape().vocab);
  std::int64_t row = 0;
  for (const BatchSequence& sequence : batch) {
    check_sequence(placement, sequence);
    data->blocks.push_back(sequence.blocks);
    data->sequences.push_back({row, sequence.new_tokens, sequence.context, nullptr});
    for (std::int64_t i = 0; i < sequence.new_tokens; ++i) {
      // Timing-only steps have no token ids: spread the rows they would read over the table.
      const auto spread = static_cast<std::uint64_t>(row + i) * 2654435761u % vocab;
      const auto id = sequence.tokens.empty() ? static_cast<std::uint32_t>(spread)
                                              : sequence.tokens[static_cast<std::size_t>(i)];
      if (id >= vocab) throw core::SimulationError("step: no such token id");
      data->tokens.push_back(id);
      data->positions.push_back(
          static_cast<std::uint32_t>(sequence.context - sequence.new_tokens + i));
    }
    row += sequence.new_tokens;
    if (sequence.samples) data->sampled_rows.push_back(static_cast<std::uint32_t>(row - 1));
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    data->sequences[i].blocks = data->blocks[i].data();
  }
  const PlacementSpec& spec = placement.spec();
  if (row < 1 || row > spec.max_tokens ||
      static_cast<std::int64_t>(data->sampled_rows.size()) > spec.max_sampled) {
    throw core::SimulationError("step: the batch is larger than its placement");
  }
  return data;
}

}  // namespace

std::vector<isa::Kernel> build_step(const isa::CoreShape& shape, const Placement& placement,
                                    const std::vector<BatchSequence>& batch,
                                    const StepOptions& options) {
  return StepBuilder(shape, placement, options, tables_of(placement, batch)).build();
}

// At most one partial result per core and 128 splits of each walk, of the tallest query tile.
std::uint64_t step_workspace_bytes(const isa::CoreShape& shape, const ModelShape& model,
                                   std::int64_t sequences, std::int64_t attention_splits) {
  if (attention_splits <= 1) return 0;
  const std::int64_t kv_heads = model.mla ? 1 : model.kv_heads;
  const std::int64_t v_dim = model.mla ? model.mla->kv_lora : model.head_dim;
  std::int64_t most = 0;
  // Heads of a group may be walked in parts: all that split counts.
  for (std::int64_t parts = 1; parts <= model.heads / kv_heads; parts *= 2) {
    const std::int64_t walks = sequences * kv_heads * parts;
    const std::int64_t splits =
        kernels::choose_splits(walks, shape.cores, std::min<std::int64_t>(attention_splits, 128));
    if (splits <= 1) break;
    const std::int64_t rows = model.heads / kv_heads / parts * kernels::kQueryBlock;
    most = std::max(most, walks * splits * rows * (v_dim + 2) * 4);
  }
  return static_cast<std::uint64_t>(most);
}

}  // namespace ridgepoint::workloads
