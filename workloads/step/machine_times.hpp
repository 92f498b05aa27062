// SPDX-License-Identifier: Apache-2.0
// Kernel times for the serving engine, from the machine: every answer is a simulation of the step's
// kernels on fresh memory, so it depends on the question alone.
#pragma once

#include <span>
#include <vector>

#include "sim/soc/machine.hpp"
#include "workloads/serving/grid_step_time.hpp"
#include "workloads/step/placement.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {

struct MachineTimesSpec {
  Formats formats;
  std::int64_t block_tokens = 16;
  std::int64_t attention_splits = 128;
  std::uint64_t memory_bytes = 0;
};

class MachineKernelTimes final : public KernelTimes {
 public:
  // Keeps references to both.
  MachineKernelTimes(soc::Machine& machine, const ModelShape& model, const MachineTimesSpec& spec)
      : machine_(machine), model_(model), spec_(spec) {}

  core::Femtoseconds linear_part(std::int64_t tokens, std::int64_t sampled) override;
  core::Femtoseconds decode_attention(std::int64_t batch, std::int64_t context) override;
  core::Femtoseconds prefill_attention(std::int64_t new_tokens, std::int64_t context) override;
  std::optional<core::Femtoseconds> mixed_decode_attention(
      std::span<const std::int64_t> contexts) override;

  std::int64_t simulated_kernels() const { return simulated_; }

 private:
  enum class Part : std::uint8_t { kLinear, kAttention };
  core::Femtoseconds time_of(std::vector<BatchSequence> batch, Part part);

  soc::Machine& machine_;
  const ModelShape& model_;
  MachineTimesSpec spec_;
  std::int64_t simulated_ = 0;
};

}  // namespace ridgepoint::workloads
