// SPDX-License-Identifier: Apache-2.0
// Step times from the simulated accelerator: single kernel shapes for the grid, or every step as it
// is. Timing only: no values are attached.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/soc/machine.hpp"
#include "workloads/models/shape.hpp"
#include "workloads/serving/kernel_times.hpp"
#include "workloads/serving/step_cache.hpp"
#include "workloads/serving/step_time.hpp"
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
  std::size_t workers = 1;         // processes that simulate what prepare() asks for
};

// Kernels on the machine, each distinct one simulated once, on memory as new: a time does not
// depend on what was simulated before. Block tables are a seeded shuffle of a small pool, as in a
// server that has run for a while; shapes that need more blocks than it has use some twice, which
// changes no cycle: nothing on the way caches them.
class MachineKernelTimes final : public KernelTimes {
 public:
  // `machine` and `cache` (may be null) must outlive it. Throws InputError if the model does not
  // fit the memory.
  MachineKernelTimes(soc::Machine& machine, const ModelShape& shape, const MachineStepSpec& spec,
                     StepCache* cache = nullptr);

  KernelGeometry geometry() const override;
  core::Femtoseconds linear_part(std::int64_t tokens) override;
  // Measured on the smallest layer and taken for each; exact for what streams no weights.
  core::Femtoseconds second_pass_saving(std::int64_t rows) override;
  core::Femtoseconds sampling_part(std::int64_t rows) override;
  core::Femtoseconds attention(std::span<const AttendingSequence> batch) override;
  Step whole_step(std::span<const AttendingSequence> batch, std::int64_t sampled) override;
  void prepare(std::span<const KernelQuery> queries) override;

  std::size_t simulated() const { return simulated_; }

 private:
  using Kernels = std::vector<isa::Kernel>;
  BatchSequence sequence(std::int64_t new_tokens, std::int64_t context, bool samples);
  Kernels linear_kernels(std::int64_t tokens);
  Kernels sampling_kernels(std::int64_t rows);
  Kernels attention_kernels(std::span<const AttendingSequence> batch);
  Kernels kernels_of(const KernelQuery& query);
  Kernels step_kernels(std::span<const AttendingSequence> batch, std::int64_t sampled);
  Kernels built(const std::vector<BatchSequence>& batch);
  bool known(const std::string& launch);
  core::Cycle cycles_of(const isa::Kernel& kernel, std::size_t launch = 0);
  std::size_t sampled_launches(const isa::Kernel& kernel, std::size_t most);
  Step time_of(const Kernels& kernels, std::size_t most_launches);
  void simulate_together(std::span<const KernelQuery> queries);
  void remember(const std::string& launch, core::Cycle cycles);

  soc::Machine& machine_;
  ModelShape shape_;
  MachineStepSpec spec_;
  Placement placement_;
  StepOptions options_;
  StepCache* cache_;
  std::map<std::string, core::Cycle> cycles_;  // by kernel key and launch
  std::size_t simulated_ = 0;
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
