// SPDX-License-Identifier: Apache-2.0
// A core's books: what each engine spends its cycles on, and why it waits.
#include "sim/accel/core.hpp"

namespace ridgepoint::accel {

using isa::Engine;
using probe::Stall;

Stall Core::reason_of(const isa::Deps& deps) const {
  for (std::uint32_t i = 0; i < deps.count; ++i) {
    const isa::Token token = deps.tokens[i];
    if (done(token)) continue;
    if ((token.index & kSharedBit) != 0) return Stall::kWaitSync;
    switch (token_engine_[token.index]) {
      case Engine::kLoad:
        return Stall::kWaitLoad;
      case Engine::kMatrix:
        return Stall::kWaitMatrix;
      case Engine::kVector:
        return Stall::kWaitVector;
      case Engine::kStore:
        return Stall::kWaitStore;
    }
  }
  return Stall::kNoCommand;
}

Stall Core::current_reason(Engine engine, core::Cycle now) const {
  if (engine == Engine::kLoad || engine == Engine::kStore) {
    const Mover& unit = engine == Engine::kLoad ? load_ : store_;
    if (unit.active_transfers > 0) {
      return unit.in_flight_pieces == 0 && unit.blocked_on_port ? Stall::kBackPressure
                                                                : Stall::kBusy;
    }
    return unit.queue.empty() ? Stall::kNoCommand : reason_of(unit.queue.front().deps);
  }
  const Array& unit = engine == Engine::kMatrix ? matrix_ : vector_;
  if (unit.free_at > now) return Stall::kBusy;
  return unit.queue.empty() ? Stall::kNoCommand : reason_of(unit.queue.front().deps);
}

void Core::book(core::Cycle now) {
  const core::Cycle span = now - booked_;
  if (span <= 0) return;
  for (std::size_t e = 0; e < isa::kEngines; ++e) counters_.stalls[e][reason_[e]] += span;
  if (observer_) {
    for (std::size_t e = 0; e < isa::kEngines; ++e) {
      observer_->on_state(index(), static_cast<Engine>(e), reason_[e], booked_, now);
    }
  }
  booked_ = now;
}

std::string Core::describe() const {
  std::string text = "core " + std::to_string(index()) + (running_ ? "" : " finished");
  if (!running_) return text;
  if (program_waits_for_.valid()) {
    text += "; program waits for token " + std::to_string(program_waits_for_.index);
  }
  for (std::size_t e = 0; e < isa::kEngines; ++e) {
    text += "; " + std::string(isa::kEngineNames[e]) + ": " +
            std::string(probe::kStallNames[static_cast<std::size_t>(reason_[e])]);
  }
  return text;
}

}  // namespace ridgepoint::accel
