// SPDX-License-Identifier: Apache-2.0
// Which requests get how many tokens in the next step. A scheduler is one file and one row of
// schedulers(); it moves requests between waiting and running and asks KvMemory for blocks, and
// knows nothing of time or metrics.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/serving/kv_memory.hpp"
#include "workloads/serving/request.hpp"

namespace ridgepoint::workloads {

enum class AdmissionPolicy : std::uint8_t {
  kFirstChunk,  // only the blocks of the first chunk must be free
  kFullInput,   // the whole known sequence must fit, not its future output (default)
  kFullLength,  // every running request must be able to finish: never preempts
};
enum class Preemption : std::uint8_t { kRecompute, kSwap };

struct SchedulerLimits {
  std::int64_t max_num_batched_tokens = 8192;
  std::int64_t max_num_seqs = 1024;
  std::int64_t long_prefill_threshold = 0;  // 0: no limit on one request's tokens per step
  std::int64_t max_model_len = 131'072;
  bool chunked_prefill = true;
  AdmissionPolicy admission = AdmissionPolicy::kFullInput;
  std::int64_t watermark_blocks = 0;
  Preemption preemption = Preemption::kRecompute;
};

// Why the requests that are still waiting after a step was planned were not let in.
enum class WaitReason : std::uint8_t {
  kStepBoundary,  // arrived while a step was running
  kKvBlocks,      // the head's blocks are not free
  kTokenBudget,   // max_num_batched_tokens is used up
  kMaxSequences,  // max_num_seqs are running
  kPreemption,    // something was preempted in this step
  kBatch,         // the scheduler lets nobody in now (static batch, decode step)
};
inline constexpr std::size_t kWaitReasons = 6;
inline constexpr std::array<std::string_view, kWaitReasons> kWaitReasonNames{
    "step_boundary", "kv_blocks", "token_budget", "max_sequences", "preemption", "batch"};

struct ScheduledSequence {
  Request* request = nullptr;
  std::int64_t new_tokens = 0;
};

struct StepPlan {
  std::vector<ScheduledSequence> sequences;  // running ones first, in order
  std::vector<Request*> admitted;            // came from waiting in this step
  std::vector<Request*> preempted;           // went back to waiting in this step
  std::int64_t swapped_out_tokens = 0;
  std::int64_t swapped_in_tokens = 0;
  WaitReason wait_reason = WaitReason::kBatch;
  std::int64_t budget = 0;  // tokens left

  void clear(std::int64_t tokens);
};

struct SchedulerState {
  std::vector<Request*> running;  // in order of admission: oldest first
  std::deque<Request*> waiting;   // head first
  KvMemory* kv = nullptr;
  SchedulerLimits limits;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Fills an empty plan. Postcondition: every planned request is in state.running and holds blocks
  // for its tokens.
  virtual void plan_step(SchedulerState& state, StepPlan& plan) = 0;
  // Where a request that just arrived joins the queue; first come, first served by default.
  virtual void enqueue(SchedulerState& state, Request* request) {
    state.waiting.push_back(request);
  }
};

struct SchedulerKind {
  std::string_view name;
  std::string_view meaning;
  std::unique_ptr<Scheduler> (*make)();
};
const std::vector<SchedulerKind>& schedulers();
// Throws InputError naming the schedulers if the name is unknown.
std::unique_ptr<Scheduler> make_scheduler(std::string_view name);

}  // namespace ridgepoint::workloads
