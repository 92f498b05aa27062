// SPDX-License-Identifier: Apache-2.0
// What the serving engine asks the machine: how long does this step take? The engine knows nothing
// of the machine, and the machine nothing of queues.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/time.hpp"
#include "workloads/serving/request.hpp"

namespace ridgepoint::workloads {

// One sequence's part of a step. Its tokens [context, context + new_tokens) run through the model
// and attend to everything up to themselves through the block table.
struct ServedSequence {
  std::uint64_t request = 0;
  std::int64_t new_tokens = 0;           // >= 1
  std::int64_t context = 0;              // tokens already in the cache
  bool sampled = false;                  // the last of the new tokens gives logits
  std::span<const BlockId> block_table;  // covers context + new_tokens
  std::span<const std::int32_t> tokens;  // the new tokens' ids when text is served, else empty
};

struct StepBatch {
  std::vector<ServedSequence> sequences;  // non-empty
  std::int64_t block_tokens = 0;
  std::int64_t new_tokens = 0;    // of all sequences
  std::int64_t sampled_rows = 0;  // sequences with `sampled`
};

class StepTimeModel {
 public:
  virtual ~StepTimeModel() = default;
  // Time from launch to the last sampled token; > 0.
  virtual core::Femtoseconds step_time(const StepBatch& batch) = 0;
  // When text is served: the token sampled for batch.sequences[i] in the step just timed, and
  // whether it ends the text.
  struct Sampled {
    std::int32_t token = 0;
    bool ends = false;
  };
  virtual std::optional<Sampled> sampled_token(std::size_t) { return std::nullopt; }
};

}  // namespace ridgepoint::workloads
