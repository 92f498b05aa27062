// SPDX-License-Identifier: Apache-2.0
// Step times from the simulated accelerator: single kernel shapes for the grid, or every step as it
// is. Timing only: no values are attached.
#pragma once

#include <memory>
#include <vector>

#include "sim/soc/machine.hpp"
#include "workloads/models/shape.hpp"
#include "workloads/serving/grid_step_time.hpp"
#include "workloads/step/runner.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {

struct MachineStepSpec {
  Formats formats;
  std::int64_t kv_blocks = 0;  // of the pool; their addresses are what attention reads
  std::int64_t block_tokens = 16;
  std::int64_t max_batch_tokens = 0;  // of one step
  std::int64_t max_num_seqs = 0;
  std::int64_t attention_splits = 128;
  std::uint64_t memory_bytes = 0;  // weights, pool and activations must fit
  std::uint64_t seed = 1;          // of the block order
};

// Kernels on the machine, each distinct one simulated once. Block tables are a seeded shuffle of
// the pool, as in a server that has run for a while; shapes that need more blocks than the pool has
// use some twice, which changes no cycle: nothing on the way caches them.
class MachineKernelTimes final : public KernelTimes {
 public:
  // `machine` must outlive it. Throws InputError if the model does not fit the memory.
  MachineKernelTimes(soc::Machine& machine, const ModelShape& shape, const MachineStepSpec& spec);

  core::Femtoseconds linear_part(std::int64_t tokens, std::int64_t sampled) override;
  core::Femtoseconds decode_attention(std::int64_t batch, std::int64_t context) override;
  core::Femtoseconds prefill_attention(std::int64_t new_tokens, std::int64_t context) override;
  std::optional<core::Femtoseconds> mixed_decode_attention(
      std::span<const std::int64_t> contexts) override;

 private:
  BatchSequence sequence(std::int64_t new_tokens, std::int64_t context, bool samples);
  core::Femtoseconds time_of(const std::vector<BatchSequence>& batch, bool attention);

  soc::Machine& machine_;
  Placement placement_;
  StepOptions options_;
  StepRunner runner_;
  std::vector<std::uint32_t> order_;  // of the pool's blocks
  std::size_t next_block_ = 0;
};

// Every step simulated with its own block tables and contexts.
class ExactStepTime final : public StepTimeModel {
 public:
  ExactStepTime(soc::Machine& machine, const ModelShape& shape, const MachineStepSpec& spec);
  core::Femtoseconds step_time(const StepBatch& batch) override;

 private:
  soc::Machine& machine_;
  Placement placement_;
  StepOptions options_;
  StepRunner runner_;
};

}  // namespace ridgepoint::workloads
