// SPDX-License-Identifier: Apache-2.0
// Steps that compute: a model with values serves real text. Every step runs on the machine with the
// engine's own block tables, so a block that the scheduler gave away or shares wrongly shows in the
// tokens. Slow, for small models; timing-only steps are in machine_step_time.hpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/soc/machine.hpp"
#include "workloads/models/loaded_model.hpp"
#include "workloads/serving/step_time.hpp"
#include "workloads/step/runner.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {

struct TextStepSpec {
  Formats formats;
  std::int64_t kv_blocks = 0;  // of the pool; all of them are held in host memory
  std::int64_t block_tokens = 16;
  std::int64_t max_batch_tokens = 0;  // of one step
  std::int64_t max_num_seqs = 0;
  std::uint64_t memory_bytes = 0;
  std::int64_t stop_token = -1;  // ends a text; -1: none does
  // The token after the `position` tokens that a request has so far, from its logits.
  std::function<std::uint32_t(std::uint64_t request, std::int64_t position,
                              std::span<const float> logits)>
      choose;
};

class TextStepTime final : public StepTimeModel {
 public:
  // `machine` must outlive it. Throws InputError if the model does not fit the memory.
  TextStepTime(soc::Machine& machine, const LoadedModel& model, TextStepSpec spec);

  // Every sequence must carry its tokens.
  core::Femtoseconds step_time(const StepBatch& batch) override;
  std::optional<Sampled> sampled_token(std::size_t sequence) override;

  std::uint64_t launches() const { return launches_; }

 private:
  soc::Machine& machine_;
  TextStepSpec spec_;
  Placement placement_;
  StepRunner runner_;
  std::vector<std::optional<Sampled>> sampled_;  // by sequence of the last step
  std::uint64_t launches_ = 0;
};

}  // namespace ridgepoint::workloads
