// SPDX-License-Identifier: Apache-2.0
// Text on the simulated machine, one request: the prompt in one prefill step, then one token per
// step, with the KV cache or by computing every token again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/soc/machine.hpp"
#include "workloads/models/loaded_model.hpp"
#include "workloads/step/placement.hpp"
#include "workloads/step/runner.hpp"

namespace ridgepoint::workloads {

struct GenerateSpec {
  std::vector<std::uint32_t> prompt;
  std::int64_t steps = 1;  // tokens to generate at most
  bool use_cache = true;
  std::int64_t stop_token = -1;  // generation ends before it; -1: never
  Formats formats;
  std::uint64_t memory_bytes = 0;  // what may be used of the HBM; 0: all
  // Chooses a token from one row of logits.
  std::function<std::uint32_t(std::span<const float> logits)> choose;
  // Sees the logits of every step's last row.
  std::function<void(std::int64_t step, std::span<const float> logits)> on_logits;
  bool values = true;  // false: the same launches without values; `choose` sees nothing
};

struct GenerateResult {
  std::vector<std::uint32_t> tokens;  // generated ones
  bool stopped = false;               // by stop_token
  std::int64_t kv_multiply_adds = 0;  // of the K and V projections that were launched
  std::int64_t cached_numbers = 0;    // K and V numbers held at the end (without cache: 0)
  std::int64_t cache_bytes = 0;
  std::vector<core::Cycle> step_cycles;
  StepReport report;  // all steps together
};

// Throws InputError when prompt and steps exceed the model's context.
GenerateResult generate(soc::Machine& machine, const LoadedModel& model, const GenerateSpec& spec);

}  // namespace ridgepoint::workloads
