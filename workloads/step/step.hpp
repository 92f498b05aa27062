// SPDX-License-Identifier: Apache-2.0
// One step of a model as a list of kernels: any mix of prefill chunks and decode rows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/experts/routing.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"
#include "workloads/step/placement.hpp"

namespace ridgepoint::workloads {

struct BatchSequence {
  std::int64_t new_tokens = 1;
  std::int64_t context = 1;           // tokens in the cache after this step, <= max context
  std::vector<std::uint32_t> blocks;  // block table; covers `context` tokens
  std::vector<std::uint32_t> tokens;  // new token ids; may be empty in timing-only steps
  bool samples = true;                // its last row goes to the LM head
};

struct StepOptions {
  // 1 keeps every row's bits independent of its batch; more splits long decode contexts over cores.
  std::int64_t attention_splits = 128;
  // Timing-only steps of a mixture of experts: which experts the tokens go to. One draw per step,
  // the same in all layers.
  kernels::ExpertLoads expert_loads;
  // Given each sampled row's logits (order of sequences); only called with values.
  std::function<void(std::int64_t row, const float* logits)> choose;
};

// Kernels in launch order. They refer to `placement` and share ownership of the step's index
// tables, so they may outlive this call but not the placement. Throws InputError when the batch
// does not fit the placement or the model's context.
std::vector<isa::Kernel> build_step(const isa::CoreShape& shape, const Placement& placement,
                                    const std::vector<BatchSequence>& batch,
                                    const StepOptions& options);

// Workspace the step's attention may need.
std::uint64_t step_workspace_bytes(const isa::CoreShape& shape, const ModelShape& model,
                                   std::int64_t sequences, std::int64_t attention_splits);

}  // namespace ridgepoint::workloads
