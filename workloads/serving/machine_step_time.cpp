// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/machine_step_time.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/attention/attention.hpp"
#include "kernels/linear/linear.hpp"
#include "sim/core/error.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/serving/kernel_workers.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

// The grid's own placement does not depend on the pool or the limits of a run, so that what was
// simulated for one run serves the next.
constexpr std::int64_t kGridBlocks = 4096;
constexpr std::int64_t kGridTokens = 8192;
constexpr std::int64_t kGridSampled = 1024;
constexpr std::int64_t kGridContext = 1 << 21;
constexpr double kWorthForking = 64 << 20;  // bytes that kernels move: about a second of simulation

std::int64_t power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

ModelShape roomy(ModelShape shape) {
  shape.max_context = std::max(shape.max_context, kGridContext);
  return shape;
}

MachineStepSpec grid_spec(const soc::Machine& machine, const MachineStepSpec& asked) {
  MachineStepSpec spec = asked;
  spec.kv_blocks = std::min(kGridBlocks, asked.kv_blocks);
  spec.max_batch_tokens = std::max(kGridTokens, 2 * power_of_two(asked.max_batch_tokens));
  spec.max_num_seqs = std::max(kGridSampled, 4 * power_of_two(asked.max_num_seqs));
  // Only the steps themselves must fit; that was checked where the pool was sized.
  spec.memory_bytes = std::max(asked.memory_bytes, machine.hbm_bytes());
  return spec;
}

PlacementSpec placement_spec(const soc::Machine& machine, const ModelShape& shape,
                             const MachineStepSpec& spec) {
  const isa::CoreShape core = machine.config().accel.shape();
  PlacementSpec placement;
  placement.formats = spec.formats;
  placement.max_tokens = spec.max_batch_tokens;
  placement.max_sampled = std::min(spec.max_batch_tokens, spec.max_num_seqs);
  placement.kv_blocks = spec.kv_blocks;
  placement.block_tokens = spec.block_tokens;
  placement.memory_bytes = spec.memory_bytes;
  placement.workspace_bytes =
      step_workspace_bytes(core, shape, placement.max_sampled, spec.attention_splits);
  placement.panel_rows = core.matrix_cols;
  if (shape.mla) placement.expand_rows = placement.max_tokens;
  return placement;
}

bool samples_tokens(const isa::Kernel& kernel) {
  return kernel.name == "norm.final" || kernel.name == "linear.head" || kernel.name == "sample";
}

bool streams_weights(const isa::Kernel& kernel) { return kernel.family == "linear"; }

}  // namespace

MachineKernelTimes::MachineKernelTimes(soc::Machine& machine, const ModelShape& shape,
                                       const MachineStepSpec& spec, StepCache* cache)
    : machine_(machine),
      shape_(shape),
      spec_(grid_spec(machine, spec)),
      placement_(roomy(shape), placement_spec(machine, shape, spec_)),
      cache_(cache),
      order_(static_cast<std::size_t>(spec_.kv_blocks)) {
  options_.attention_splits = spec_.attention_splits;
  std::iota(order_.begin(), order_.end(), 0u);
  Random random(spec_.seed);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
}

KernelGeometry MachineKernelTimes::geometry() const {
  const isa::CoreShape core = machine_.config().accel.shape();
  KernelGeometry geometry;
  geometry.cores = core.cores;
  geometry.kv_heads = shape_.kv_heads;
  geometry.key_tile = kernels::kKeyTile;
  kernels::AttentionArgs args;
  args.q = placement_.qkv;
  args.cache = placement_.layers().front().cache;
  args.heads = shape_.heads;
  geometry.query_block = kernels::query_block(core, args);
  geometry.query_heads = shape_.heads / shape_.kv_heads;
  geometry.array_rows = core.matrix_rows;
  geometry.attention_splits = spec_.attention_splits;
  geometry.row_tile = kernels::most_tile_rows(core, core.matrix_cols, spec_.formats.weights,
                                              spec_.formats.activations, shape_.other_bias);
  geometry.even_passes = core.tile_rows == 0 && !shape_.moe;
  geometry.layer_weight_bytes = weight_bytes(shape_, spec_.formats.weights) / shape_.layers;
  geometry.token_kv_bytes = kv_bytes_per_token(shape_, spec_.formats.kv) / shape_.layers;
  return geometry;
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

MachineKernelTimes::Kernels MachineKernelTimes::built(const std::vector<BatchSequence>& batch) {
  next_block_ = 0;
  return build_step(machine_.config().accel.shape(), placement_, batch, options_);
}

MachineKernelTimes::Kernels MachineKernelTimes::linear_kernels(std::int64_t tokens) {
  Kernels kernels = built({sequence(tokens, tokens, false)});
  std::erase_if(kernels, [](const isa::Kernel& kernel) { return kernel.family == "attention"; });
  return kernels;
}

MachineKernelTimes::Kernels MachineKernelTimes::sampling_kernels(std::int64_t rows) {
  std::vector<BatchSequence> batch;
  for (std::int64_t i = 0; i < rows; ++i) batch.push_back(sequence(1, 1, true));
  Kernels kernels = built(batch);
  std::erase_if(kernels, [](const isa::Kernel& kernel) { return !samples_tokens(kernel); });
  return kernels;
}

MachineKernelTimes::Kernels MachineKernelTimes::attention_kernels(
    std::span<const AttendingSequence> batch) {
  std::vector<BatchSequence> sequences;
  for (const AttendingSequence& one : batch) {
    sequences.push_back(sequence(one.new_tokens, one.context + one.new_tokens, false));
  }
  Kernels kernels = built(sequences);
  std::erase_if(kernels, [](const isa::Kernel& kernel) { return kernel.family != "attention"; });
  return kernels;
}

bool MachineKernelTimes::known(const isa::Kernel& kernel) {
  if (cycles_.contains(kernel.key)) return true;
  if (cache_ == nullptr) return false;
  const auto found = cache_->find(kernel.key);
  if (found.has_value()) cycles_.emplace(kernel.key, *found);
  return found.has_value();
}

void MachineKernelTimes::remember(const isa::Kernel& kernel, core::Cycle cycles) {
  ++simulated_;
  cycles_[kernel.key] = cycles;
  if (cache_ != nullptr) cache_->add(kernel.key, cycles);
}

core::Cycle MachineKernelTimes::cycles_of(const isa::Kernel& kernel) {
  if (kernel.key.empty()) throw core::SimulationError("serving: a kernel has no key");
  if (!known(kernel)) {
    machine_.reset_memory();
    remember(kernel, machine_.run(kernel, false).cycles);
  }
  return cycles_.at(kernel.key);
}

core::Femtoseconds MachineKernelTimes::time_of(const Kernels& kernels) {
  core::Cycle sum = 0;
  for (const isa::Kernel& kernel : kernels) sum += cycles_of(kernel);
  return machine_.clock().time_of(sum);
}

core::Femtoseconds MachineKernelTimes::second_pass_saving(std::int64_t rows) {
  const Kernels one = linear_kernels(rows);
  const Kernels two = linear_kernels(2 * rows);
  const auto saving = [&](std::size_t i) {
    return std::max<core::Cycle>(0, 2 * cycles_of(one[i]) - cycles_of(two[i]));
  };
  std::size_t smallest = one.size();
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!streams_weights(one[i])) continue;
    if (smallest == one.size() || one[i].flops < one[smallest].flops) smallest = i;
  }
  core::Cycle sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    sum += saving(streams_weights(one[i]) ? smallest : i);
  }
  return machine_.clock().time_of(sum);
}

core::Femtoseconds MachineKernelTimes::linear_part(std::int64_t tokens) {
  return time_of(linear_kernels(tokens));
}

core::Femtoseconds MachineKernelTimes::sampling_part(std::int64_t rows) {
  return time_of(sampling_kernels(rows));
}

core::Femtoseconds MachineKernelTimes::attention(std::span<const AttendingSequence> batch) {
  return time_of(attention_kernels(batch));
}

void MachineKernelTimes::prepare(std::span<const KernelQuery> queries) {
  if (spec_.workers < 2) return;
  std::map<std::string, isa::Kernel> missing;
  for (const KernelQuery& query : queries) {
    Kernels kernels = query.tokens > 0    ? linear_kernels(query.tokens)
                      : query.sampled > 0 ? sampling_kernels(query.sampled)
                                          : attention_kernels(query.attention);
    for (isa::Kernel& kernel : kernels) {
      if (!known(kernel)) missing.try_emplace(kernel.key, std::move(kernel));
    }
  }
  std::vector<KernelTask> tasks;
  double cost = 0;
  for (const auto& [key, kernel] : missing) {
    // One attention FLOP per cached number and head; vectors cost little.
    tasks.push_back({&kernel, std::max({kernel.model_bytes, kernel.flops / 2, 1.0})});
    if (kernel.model_bytes > 0) tasks.back().cost = kernel.model_bytes;
    cost += tasks.back().cost;
  }
  if (cost < kWorthForking) return;
  const auto cycles = run_on_copies(machine_, tasks, spec_.workers);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (cycles[i].has_value()) remember(*tasks[i].kernel, *cycles[i]);
  }
}

ExactStepTime::ExactStepTime(soc::Machine& machine, const ModelShape& shape,
                             const MachineStepSpec& spec)
    : machine_(machine),
      placement_(shape, placement_spec(machine, shape, spec)),
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
