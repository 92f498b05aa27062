// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/machine_step_time.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "kernels/attention/attention.hpp"
#include "kernels/linear/linear.hpp"
#include "sim/core/error.hpp"
#include "sim/soc/machine_copies.hpp"
#include "workloads/models/counts.hpp"
#include "workloads/serving/attention_walks.hpp"
#include "workloads/traces/random.hpp"

namespace ridgepoint::workloads {
namespace {

// The grid's own placement does not depend on the pool or the limits of a run, so that what was
// simulated for one run serves the next.
constexpr std::int64_t kGridBlocks = 4096;
constexpr std::int64_t kGridTokens = 8192;
constexpr std::int64_t kGridSampled = 1024;
constexpr std::int64_t kGridContext = 1 << 21;
constexpr std::size_t kGridLaunches = 1;  // that stand for all of a kernel's
constexpr std::size_t kStepLaunches = 4;
constexpr double kSampledNs = 80'000;  // launches of a kernel that last so long are as good as all

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

std::string launch_name(const isa::Kernel& kernel, std::size_t launch) {
  return launch == 0 ? kernel.key : kernel.key + " launch=" + std::to_string(launch);
}

bool samples_tokens(const isa::Kernel& kernel) {
  return kernel.name == "norm.final" || kernel.name == "linear.head" || kernel.name == "sample";
}

std::vector<WindowShare> windows_of(const ModelShape& shape) {
  std::int64_t windowed = 0;
  for (std::int64_t i = 0; i < shape.layers; ++i) windowed += shape.is_windowed(i) ? 1 : 0;
  const double share = static_cast<double>(windowed) / static_cast<double>(shape.layers);
  std::vector<WindowShare> windows;
  if (windowed > 0) windows.push_back({shape.sliding_window, share});
  if (windowed < shape.layers) windows.push_back({0, 1 - share});
  return windows;
}

// Attention, and what latent attention does around it for some of the rows.
bool attends(const isa::Kernel& kernel) {
  constexpr std::string_view kAround[] = {"latent_query",    "latent_gather",   "linear.absorb_k",
                                          "linear.absorb_v", "linear.expand_k", "linear.expand_v"};
  return kernel.family == "attention" ||
         std::find(std::begin(kAround), std::end(kAround), kernel.name) != std::end(kAround);
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
  // Many cores that few KV heads go round need many sequences to measure walks on.
  const std::int64_t tokens = AttentionWalks(geometry()).most_tokens();
  if (tokens > spec_.max_batch_tokens) {
    spec_.max_batch_tokens = power_of_two(tokens);
    placement_ = Placement(roomy(shape), placement_spec(machine, shape, spec_));
  }
  require_room(machine_, placement_, options_);
}

KernelGeometry MachineKernelTimes::geometry() const {
  const isa::CoreShape core = machine_.config().accel.shape();
  KernelGeometry geometry;
  geometry.cores = core.cores;
  kernels::AttentionArgs args;
  args.q = placement_.qkv;
  args.cache = placement_.layers().front().cache;
  args.heads = shape_.heads;
  if (shape_.mla) {
    args.v_dim = shape_.mla->kv_lora;
    geometry.alone_keys = placement_.spec().expand_rows;
  }
  const kernels::AttentionTiles tiles = kernels::attention_tiles(core, args);
  geometry.key_tile = tiles.key_tile;
  geometry.core_blocks = std::max({std::int64_t{1}, core.blocks, tiles.lanes});
  geometry.kv_heads = args.kv_heads() * tiles.parts;
  geometry.query_heads = tiles.group;
  geometry.query_block = kernels::query_block(core, args);
  geometry.array_rows = core.matrix_rows;
  geometry.attention_splits = spec_.attention_splits;
  geometry.row_tile = kernels::most_tile_rows(core, core.matrix_cols, spec_.formats.weights,
                                              spec_.formats.activations, shape_.other_bias);
  geometry.even_passes = core.tile_rows == 0 && !shape_.moe;
  geometry.layer_weight_bytes = weight_bytes(shape_, spec_.formats.weights) / shape_.layers;
  geometry.head_weight_bytes = core::bytes_of(spec_.formats.weights, shape_.vocab * shape_.d_model);
  geometry.token_kv_bytes = kv_bytes_per_token(shape_, spec_.formats.kv) / shape_.layers;
  geometry.windows = windows_of(shape_);
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
  std::erase_if(kernels, &attends);
  return kernels;
}

MachineKernelTimes::Kernels MachineKernelTimes::sampling_kernels(std::int64_t rows) {
  std::vector<BatchSequence> batch;
  for (std::int64_t i = 0; i < rows; ++i) batch.push_back(sequence(1, 1, true));
  Kernels kernels = built(batch);
  std::erase_if(kernels, std::not_fn(samples_tokens));
  return kernels;
}

MachineKernelTimes::Kernels MachineKernelTimes::step_kernels(
    std::span<const AttendingSequence> batch, std::int64_t sampled) {
  std::vector<BatchSequence> sequences;
  for (const AttendingSequence& one : batch) {
    sequences.push_back(sequence(one.new_tokens, one.context + one.new_tokens, sampled-- > 0));
  }
  return built(sequences);
}

MachineKernelTimes::Kernels MachineKernelTimes::attention_kernels(
    std::span<const AttendingSequence> batch) {
  Kernels kernels = step_kernels(batch, 0);
  std::erase_if(kernels, std::not_fn(attends));
  return kernels;
}

bool MachineKernelTimes::known(const std::string& launch) {
  if (cycles_.contains(launch)) return true;
  if (cache_ == nullptr) return false;
  const auto found = cache_->find(launch);
  if (found.has_value()) cycles_.emplace(launch, *found);
  return found.has_value();
}

void MachineKernelTimes::remember(const std::string& launch, core::Cycle cycles) {
  ++simulated_;
  cycles_[launch] = cycles;
  if (cache_ != nullptr) cache_->add(launch, cycles);
}

core::Cycle MachineKernelTimes::cycles_of(const isa::Kernel& kernel, std::size_t launch) {
  if (kernel.key.empty()) throw core::SimulationError("serving: a kernel has no key");
  const std::string name = launch_name(kernel, launch);
  if (!known(name)) {
    machine_.reset_memory();
    remember(name, machine_.run(kernel, false).cycles);
  }
  return cycles_.at(name);
}

std::size_t MachineKernelTimes::sampled_launches(const isa::Kernel& kernel, std::size_t most) {
  const double ns = static_cast<double>(cycles_of(kernel)) * machine_.clock().period_ns();
  return std::clamp<std::size_t>(static_cast<std::size_t>(kSampledNs / std::max(ns, 1.0)), 1, most);
}

// Of kernels with one key, the first few are simulated and the others take turns in being counted
// as one of them.
MachineKernelTimes::Step MachineKernelTimes::time_of(const Kernels& kernels,
                                                     std::size_t most_launches) {
  std::map<std::string, std::size_t> launches;
  core::Cycle sum = 0;
  core::Cycle attention = 0;
  for (const isa::Kernel& kernel : kernels) {
    const std::size_t launch = launches[kernel.key]++;
    const core::Cycle cycles = cycles_of(kernel, launch % sampled_launches(kernel, most_launches));
    sum += cycles;
    if (attends(kernel)) attention += cycles;
  }
  return {machine_.clock().time_of(sum), machine_.clock().time_of(attention)};
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
  return time_of(linear_kernels(tokens), kGridLaunches).time;
}

core::Femtoseconds MachineKernelTimes::sampling_part(std::int64_t rows) {
  return time_of(sampling_kernels(rows), kGridLaunches).time;
}

core::Femtoseconds MachineKernelTimes::attention(std::span<const AttendingSequence> batch) {
  return time_of(attention_kernels(batch), kGridLaunches).time;
}

MachineKernelTimes::Step MachineKernelTimes::whole_step(std::span<const AttendingSequence> batch,
                                                        std::int64_t sampled) {
  return time_of(step_kernels(batch, sampled), kStepLaunches);
}

MachineKernelTimes::Kernels MachineKernelTimes::kernels_of(const KernelQuery& query) {
  using Part = KernelQuery::Part;
  if (query.part == Part::kLinear) return linear_kernels(query.rows);
  if (query.part == Part::kSampling) return sampling_kernels(query.rows);
  if (query.part == Part::kAttention) return attention_kernels(query.batch);
  return step_kernels(query.batch, query.rows);
}

void MachineKernelTimes::simulate_together(std::span<const KernelQuery> queries) {
  std::map<std::string, isa::Kernel> missing;
  for (const KernelQuery& query : queries) {
    const bool whole = query.part == KernelQuery::Part::kWholeStep;
    std::map<std::string, std::size_t> launches;
    for (isa::Kernel& kernel : kernels_of(query)) {
      const std::size_t launch = launches[kernel.key]++;
      // How many are wanted is known from the first.
      const bool wanted =
          launch == 0 || (known(kernel.key) &&
                          launch < sampled_launches(kernel, whole ? kStepLaunches : kGridLaunches));
      std::string name = launch_name(kernel, launch);
      if (wanted && !known(name)) missing.try_emplace(std::move(name), std::move(kernel));
    }
  }
  std::vector<const isa::Kernel*> kernels;
  std::vector<const std::string*> names;
  double bytes = 0;
  for (const auto& [name, kernel] : missing) {
    kernels.push_back(&kernel);
    names.push_back(&name);
    bytes += soc::simulated_bytes(kernel);
  }
  if (bytes < soc::kWorthACopy) return;
  const auto activities = soc::run_on_copies(machine_, kernels, spec_.workers);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (activities[i].has_value()) remember(*names[i], activities[i]->cycles);
  }
}

void MachineKernelTimes::prepare(std::span<const KernelQuery> queries) {
  if (spec_.workers < 2) return;
  simulate_together(queries);
  const bool whole = std::any_of(queries.begin(), queries.end(), [](const KernelQuery& query) {
    return query.part == KernelQuery::Part::kWholeStep;
  });
  if (whole) simulate_together(queries);  // further launches
}

ExactStepTime::ExactStepTime(soc::Machine& machine, const ModelShape& shape,
                             const MachineStepSpec& spec)
    : machine_(machine),
      placement_(shape, placement_spec(machine, shape, spec)),
      runner_(machine, true) {
  options_.attention_splits = spec.attention_splits;
  require_room(machine_, placement_, options_);
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
