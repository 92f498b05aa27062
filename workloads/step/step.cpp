// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/step.hpp"

#include <memory>

#include "kernels/activation/activation.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/embedding/embedding.hpp"
#include "kernels/linear/linear.hpp"
#include "kernels/norm/norm.hpp"
#include "kernels/rope/rope.hpp"
#include "kernels/sampling/sample.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

// Index tables of one step; kernels keep them alive.
struct StepData {
  std::vector<std::uint32_t> tokens, positions, sampled_rows;
  std::vector<std::vector<std::uint32_t>> blocks;
  std::vector<kernels::Sequence> sequences;
};

void check_sequence(const Placement& placement, const BatchSequence& sequence) {
  const std::int64_t most = placement.shape().max_context;
  if (sequence.context > most) {
    core::fail_input({}, "context", std::to_string(sequence.context),
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

kernels::Tensor top_rows(kernels::Tensor tensor, std::int64_t rows) {
  tensor.rows = rows;
  return tensor;
}

kernels::Nonlinearity nonlinearity_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return kernels::Nonlinearity::kGelu;
    case Activation::kGeGlu:
      return kernels::Nonlinearity::kGeGlu;
    default:
      return kernels::Nonlinearity::kSwiGlu;
  }
}

class StepBuilder {
 public:
  StepBuilder(const isa::CoreShape& shape, const Placement& placement, const StepOptions& options,
              std::shared_ptr<StepData> data)
      : shape_(shape), p_(placement), options_(options), data_(std::move(data)) {
    const auto rows = static_cast<std::int64_t>(data_->tokens.size());
    x_ = top_rows(p_.x, rows);
    normed_ = top_rows(p_.normed, rows);
    qkv_ = top_rows(p_.qkv, rows);
    attended_ = top_rows(p_.attended, rows);
    up_ = top_rows(p_.up, rows);
    activated_ = top_rows(p_.activated, rows);
  }

  std::vector<isa::Kernel> build() {
    embed();
    for (const LayerPlacement& layer : p_.layers()) {
      attention_block(layer);
      feed_forward_block(layer);
    }
    if (!data_->sampled_rows.empty()) head();
    return std::move(kernels_);
  }

 private:
  // The kernel keeps the step's tables alive.
  void add(isa::Kernel kernel) {
    kernel.program = [data = data_, program = std::move(kernel.program)](isa::CorePort& core) {
      return program(core);
    };
    kernels_.push_back(std::move(kernel));
  }

  void embed() {
    add(kernels::embedding(
        shape_, {p_.table(), p_.positions(), x_, data_->tokens.data(), data_->positions.data()},
        "embedding"));
  }

  void attention_block(const LayerPlacement& layer) {
    const ModelShape& m = p_.shape();
    add(kernels::norm(shape_,
                      {x_, normed_, layer.attn_norm, layer.attn_norm_bias, m.norm_eps, nullptr},
                      "norm.attention"));
    add(kernels::linear(shape_, {normed_, layer.qkv, qkv_, layer.qkv_bias, std::nullopt},
                        "linear.qkv"));
    add(kernels::rope_append(
        shape_, {qkv_, layer.cache, m.heads, m.rope_theta, m.rotary_dim, data_->sequences},
        "rope_append"));
    kernels::AttentionArgs args;
    args.q = qkv_;
    args.out = attended_;
    args.cache = layer.cache;
    args.heads = m.heads;
    args.sequences = data_->sequences;
    args.most_splits = options_.attention_splits;
    args.workspace_address = p_.workspace_address;
    add(kernels::attention(shape_, args, "attention"));
    add(kernels::linear(shape_, {attended_, layer.o, x_, layer.o_bias, x_}, "linear.o"));
  }

  void feed_forward_block(const LayerPlacement& layer) {
    const ModelShape& m = p_.shape();
    add(kernels::norm(shape_,
                      {x_, normed_, layer.ffn_norm, layer.ffn_norm_bias, m.norm_eps, nullptr},
                      "norm.feed_forward"));
    add(kernels::linear(shape_, {normed_, layer.up, up_, layer.up_bias, std::nullopt},
                        "linear.up"));
    add(kernels::activation(shape_, {nonlinearity_of(m.activation), up_, activated_},
                            "activation"));
    add(kernels::linear(shape_, {activated_, layer.down, x_, layer.down_bias, x_}, "linear.down"));
  }

  void head() {
    const auto rows = static_cast<std::int64_t>(data_->sampled_rows.size());
    const kernels::Tensor sampled = top_rows(p_.sampled, rows);
    const kernels::Tensor logits = top_rows(p_.logits, rows);
    add(kernels::norm(shape_,
                      {x_, sampled, p_.final_norm(), p_.final_norm_bias(), p_.shape().norm_eps,
                       data_->sampled_rows.data()},
                      "norm.final"));
    add(kernels::linear(shape_, {sampled, p_.head(), logits, std::nullopt, std::nullopt},
                        "linear.head"));
    add(kernels::sample(shape_, {logits, top_rows(p_.chosen, rows), options_.choose}, "sample"));
  }

  const isa::CoreShape& shape_;
  const Placement& p_;
  const StepOptions& options_;
  std::shared_ptr<StepData> data_;
  kernels::Tensor x_, normed_, qkv_, attended_, up_, activated_;
  std::vector<isa::Kernel> kernels_;
};

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
  const std::int64_t walks = sequences * model.kv_heads;
  const std::int64_t splits =
      kernels::choose_splits(walks, shape.cores, std::min<std::int64_t>(attention_splits, 128));
  if (splits <= 1) return 0;
  const std::int64_t rows = model.heads / model.kv_heads * kernels::kQueryBlock;
  return static_cast<std::uint64_t>(walks * splits * rows * (model.head_dim + 2) * 4);
}

}  // namespace ridgepoint::workloads
