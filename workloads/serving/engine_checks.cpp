// SPDX-License-Identifier: Apache-2.0
// What holds after every step of a serving run: progress, and nothing lost.
#include "sim/core/error.hpp"
#include "workloads/serving/engine.hpp"

namespace ridgepoint::workloads {
namespace {

[[maybe_unused]] constexpr std::uint64_t kStepsPerAudit = 256;

}  // namespace

void Engine::check_progress() {
  // A plan may be empty once, when the only running request preempted itself; twice is a livelock.
  if (++idle_plans_ < 2) return;
  const Request& head = state_.waiting.empty() ? *state_.running.front() : *state_.waiting.front();
  throw core::SimulationError("serving makes no progress at " + std::to_string(now_) +
                              " ns: " + std::to_string(state_.running.size()) + " running, " +
                              std::to_string(state_.waiting.size()) + " waiting, " +
                              std::to_string(kv_.pool().free_blocks()) +
                              " free blocks, head request " + std::to_string(head.id) + " (line " +
                              std::to_string(head.line) + ") with " + std::to_string(head.known()) +
                              " known and " + std::to_string(head.computed) + " computed tokens");
}

void Engine::check_invariants() const {
  const KvGeometry& geometry = kv_.pool().geometry();
  if (kv_.pool().usage().total() != geometry.blocks * geometry.block_tokens) {
    throw core::SimulationError("KV pool: the parts do not sum to the pool");
  }
  if (live_.size() != state_.running.size() + state_.waiting.size()) {
    throw core::SimulationError("serving lost a request");
  }
#ifndef NDEBUG
  check_conservation();
  if (summary_.steps % kStepsPerAudit == 0) kv_.pool().audit();
#endif
  if (options_.audit_every_step) kv_.pool().audit();
}

// Every block and every filled slot of the pool belongs to requests that know of it, and the other
// way round: those that wait hold nothing.
void Engine::check_conservation() const {
  std::int64_t blocks = 0;
  std::int64_t tokens = 0;
  for (const Request* request : state_.running) {
    blocks += static_cast<std::int64_t>(request->blocks.size());
    tokens += request->computed;
  }
  if (blocks != kv_.pool().blocks_of_users() || tokens != kv_.pool().slots_of_users()) {
    throw core::SimulationError("KV pool: " + std::to_string(kv_.pool().blocks_of_users()) +
                                " blocks with " + std::to_string(kv_.pool().slots_of_users()) +
                                " tokens are held, but requests know of " + std::to_string(blocks) +
                                " with " + std::to_string(tokens));
  }
}

}  // namespace ridgepoint::workloads
