// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/machine_times.hpp"

#include <algorithm>
#include <numeric>

namespace ridgepoint::workloads {
namespace {

// Block ids are handed out in one scattered order, as in a server that has run for a while.
class Blocks {
 public:
  explicit Blocks(std::int64_t count) : count_(static_cast<std::uint64_t>(count)) {
    stride_ = std::max<std::uint64_t>(1, count_ * 5 / 13);
    while (std::gcd(stride_, count_) != 1) ++stride_;
  }
  std::uint32_t next() {
    at_ = (at_ + stride_) % count_;
    return static_cast<std::uint32_t>(at_);
  }

 private:
  std::uint64_t count_, stride_ = 1, at_ = 0;
};

}  // namespace

// One layer is simulated and counted for all: layers differ in addresses only.
core::Femtoseconds MachineKernelTimes::time_of(std::vector<BatchSequence> batch, Part part) {
  const isa::CoreShape shape = machine_.config().accel.shape();
  ModelShape one_layer = model_;
  one_layer.layers = 1;
  PlacementSpec place;
  place.formats = spec_.formats;
  place.block_tokens = spec_.block_tokens;
  place.memory_bytes = spec_.memory_bytes;
  place.panel_rows = shape.matrix_cols;
  place.max_tokens = 0;
  place.max_sampled = 1;
  place.kv_blocks = 0;
  std::int64_t sampled = 0;
  for (const BatchSequence& sequence : batch) {
    place.max_tokens += sequence.new_tokens;
    place.kv_blocks += (sequence.context + place.block_tokens - 1) / place.block_tokens;
    sampled += sequence.samples ? 1 : 0;
  }
  place.max_sampled = std::max<std::int64_t>(1, sampled);
  place.workspace_bytes = step_workspace_bytes(
      shape, one_layer, static_cast<std::int64_t>(batch.size()), spec_.attention_splits);
  Blocks blocks(place.kv_blocks);
  for (BatchSequence& sequence : batch) {
    for (std::int64_t t = 0; t < sequence.context; t += place.block_tokens) {
      sequence.blocks.push_back(blocks.next());
    }
  }
  const Placement placement(one_layer, place);
  StepOptions options;
  options.attention_splits = spec_.attention_splits;
  core::Cycle cycles = 0;
  for (const isa::Kernel& kernel : build_step(shape, placement, batch, options)) {
    if ((kernel.family == "attention") != (part == Part::kAttention)) continue;
    machine_.reset_memory();
    const core::Cycle once = machine_.run(kernel, false).cycles;
    ++simulated_;
    const bool outside = kernel.name == "embedding" || kernel.name == "norm.final" ||
                         kernel.name == "linear.head" || kernel.name == "sample";
    cycles += outside ? once : once * model_.layers;
  }
  return machine_.clock().time_of(cycles);
}

core::Femtoseconds MachineKernelTimes::linear_part(std::int64_t tokens, std::int64_t sampled) {
  // Sampled rows as decode rows of their own, the others as one prefill chunk.
  std::vector<BatchSequence> batch;
  for (std::int64_t i = 0; i < sampled; ++i) batch.push_back({1, 1, {}, {}, true});
  if (tokens > sampled) {
    for (std::int64_t rest = tokens - sampled; rest > 0;) {
      const std::int64_t part = std::min(rest, model_.max_context);
      batch.push_back({part, part, {}, {}, false});
      rest -= part;
    }
  }
  return time_of(std::move(batch), Part::kLinear);
}

core::Femtoseconds MachineKernelTimes::decode_attention(std::int64_t batch, std::int64_t context) {
  const std::vector<std::int64_t> contexts(static_cast<std::size_t>(batch), context);
  return *mixed_decode_attention(contexts);
}

core::Femtoseconds MachineKernelTimes::prefill_attention(std::int64_t new_tokens,
                                                         std::int64_t context) {
  return time_of({{new_tokens, context + new_tokens, {}, {}, false}}, Part::kAttention);
}

std::optional<core::Femtoseconds> MachineKernelTimes::mixed_decode_attention(
    std::span<const std::int64_t> contexts) {
  std::vector<BatchSequence> batch;
  for (const std::int64_t context : contexts) batch.push_back({1, context, {}, {}, false});
  return time_of(std::move(batch), Part::kAttention);
}

}  // namespace ridgepoint::workloads
