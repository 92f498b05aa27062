// SPDX-License-Identifier: Apache-2.0
// The core's event loop: programs, tokens, engines. The DMA is in core_dma.cpp, the
// books of where the time went in core_books.cpp.
#include "sim/accel/core.hpp"

#include <algorithm>

#include "sim/accel/values.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::accel {

using isa::Engine;
using probe::Stall;

Core::Core(const AcceleratorConfig& config, std::int64_t index, Fabric& fabric)
    : CorePort(index, config.cores, false),
      config_(config),
      fabric_(fabric),
      clock_(core::Clock::from_hertz(config.clock_hz)) {
  load_.limit_bytes = config.load_queue_bytes;
  store_.limit_bytes = config.store_queue_bytes;
  reason_.fill(Stall::kLaunch);
}

void Core::launch(isa::Program program, core::Cycle start, bool values) {
  if (running_) throw core::SimulationError("a core was given a kernel before it ended the last");
  set_values(values);
  program_ = std::move(program);
  program_waits_for_ = {};
  running_ = true;
  started_ = false;
  token_done_.clear();
  token_engine_.clear();
  shared_done_.clear();
  published_.clear();
  // Transfer numbers break ties between simultaneous responses: the same from every start.
  transfers_.clear();
  free_transfers_.clear();
  matrix_worked_ = matrix_busy_ = 0;
  scratchpad_used_ = 0;
  accumulator_used_ = 0;
  tile_values_.clear();
  schedule(start, CoreAction::kStart, 0);
}

void Core::close_kernel(core::Cycle kernel_end, core::Cycle next_start) {
  book_all(Stall::kDrain, kernel_end);
  book_all(Stall::kLaunch, next_start);
}

void Core::book_all(Stall reason, core::Cycle until) {
  if (until <= booked_) return;
  for (std::size_t e = 0; e < isa::kEngines; ++e) {
    counters_.stalls[e][reason] += until - booked_;
    if (observer_) {
      observer_->on_state(index(), static_cast<Engine>(e), reason, booked_, until);
    }
  }
  booked_ = until;
}

void Core::schedule(core::Cycle cycle, CoreAction what, std::uint64_t payload) {
  events_.push({cycle, static_cast<std::uint64_t>(what), payload});
}

void Core::on_response(std::uint64_t id, core::Femtoseconds time) {
  schedule(clock_.first_cycle_at_or_after(time), CoreAction::kResponse, id);
}

void Core::on_credit(std::uint32_t port, core::Femtoseconds time) {
  schedule(clock_.first_cycle_at_or_after(time), CoreAction::kCredit, port);
}

void Core::on_shared_token(std::uint32_t slot, core::Femtoseconds time) {
  schedule(clock_.first_cycle_at_or_after(time), CoreAction::kShared, slot);
}

void Core::advance(core::Cycle until) {
  while (!events_.empty() && events_.top().cycle < until) {
    const core::Cycle now = events_.top().cycle;
    now_ = now;
    if (running_) book(now);
    changed_ = false;
    while (!events_.empty() && events_.top().cycle == now) {
      const CoreEvent event = events_.top();
      events_.pop();
      process(event, now);
    }
    if (!changed_ || !running_) continue;
    settle(now);
    check_finished(now);
  }
}

void Core::process(const CoreEvent& event, core::Cycle now) {
  switch (static_cast<CoreAction>(event.sequence)) {
    case CoreAction::kStart:
      started_ = true;
      changed_ = true;
      break;
    case CoreAction::kResponse:
      on_piece(event.payload, now);
      break;
    case CoreAction::kCredit:
      if (event.payload < port_blocked_.size()) port_blocked_[event.payload] = false;
      changed_ = true;
      break;
    case CoreAction::kShared:
      if (shared_done_.size() <= event.payload) {
        shared_done_.resize(event.payload + 1, core::kNever);
      }
      shared_done_[event.payload] = now;
      changed_ = true;
      break;
    case CoreAction::kTransferDone:
      finish_transfer(static_cast<std::uint32_t>(event.payload), now);
      break;
    case CoreAction::kArrayDone:
      finish_array(static_cast<Engine>(event.payload), now);
      break;
    case CoreAction::kRetry:
      changed_ = true;
      break;
  }
}

void Core::settle(core::Cycle now) {
  bool progress = true;
  while (progress) {
    progress = resume_program();
    for (const Engine engine : {Engine::kLoad, Engine::kStore})
      progress |= start_mover(engine, now);
    for (const Engine engine : {Engine::kMatrix, Engine::kVector}) {
      progress |= start_array(engine, now);
    }
  }
  for (std::size_t e = 0; e < isa::kEngines; ++e) {
    reason_[e] = current_reason(static_cast<Engine>(e), now);
  }
  if (observer_) tell_queues(now);
}

void Core::tell_queues(core::Cycle now) const {
  observer_->on_queue(index(), Engine::kLoad, load_.queue.size(), now);
  observer_->on_queue(index(), Engine::kMatrix, matrix_.queue.size(), now);
  observer_->on_queue(index(), Engine::kVector, vector_.queue.size(), now);
  observer_->on_queue(index(), Engine::kStore, store_.queue.size(), now);
}

bool Core::resume_program() {
  bool progress = false;
  while (started_ && !program_.finished() &&
         (!program_waits_for_.valid() || done(program_waits_for_))) {
    program_waits_for_ = {};
    program_.resume();
    progress = true;
  }
  return progress;
}

isa::Token Core::issue(isa::Command command) {
  const auto index = static_cast<std::uint32_t>(token_done_.size());
  token_done_.push_back(core::kNever);
  token_engine_.push_back(command.engine);
  command.token = {index};
  ++counters_.commands[static_cast<std::size_t>(command.engine)];
  switch (command.engine) {
    case Engine::kLoad:
    case Engine::kStore:
      mover(command.engine).queue.push_back(std::move(command));
      break;
    default:
      array(command.engine).queue.push_back(std::move(command));
      break;
  }
  return {index};
}

bool Core::start_array(Engine engine, core::Cycle now) {
  Array& unit = array(engine);
  if (unit.queue.empty() || unit.free_at > now || !ready(unit.queue.front().deps)) return false;
  if (config_.engines_alternate && std::max(matrix_.free_at, vector_.free_at) > now) return false;
  isa::Command command = std::move(unit.queue.front());
  unit.queue.pop_front();
  core::Cycle occupancy = 0;
  core::Cycle latency = 0;
  if (engine == Engine::kMatrix) {
    // Both engines together draw the power that the sustained rate leaves.
    const bool at_peak =
        vector_.free_at <= now && at_peak_rate(config_, matrix_worked_, matrix_busy_);
    const MatrixCycles cycles = matrix_cycles(config_, command.matrix, at_peak);
    occupancy = cycles.occupancy;
    if (config_.boost_ns > 0) {
      matrix_worked_ += matrix_cycles(config_, command.matrix, true).occupancy;
      matrix_busy_ += occupancy;
    }
    latency = cycles.latency;
    counters_.matrix_flops += 2.0 * static_cast<double>(command.matrix.m) *
                              static_cast<double>(command.matrix.n) *
                              static_cast<double>(command.matrix.k);
  } else {
    occupancy = vector_cycles(config_, command.vector);
    counters_.vector_elements +=
        static_cast<double>(command.vector.elements) * static_cast<double>(command.vector.passes);
  }
  unit.free_at = now + occupancy;
  if (observer_) observer_->on_compute(index(), command, now, unit.free_at);
  unit.executing.push_back(std::move(command));
  schedule(now + occupancy + latency, CoreAction::kArrayDone, static_cast<std::uint64_t>(engine));
  if (latency > 0) schedule(now + occupancy, CoreAction::kRetry, 0);
  return true;
}

void Core::finish_array(Engine engine, core::Cycle now) {
  Array& unit = array(engine);
  // Occupancies are positive and the latency is constant, so results come out in order.
  const isa::Command command = std::move(unit.executing.front());
  unit.executing.pop_front();
  if (values()) {
    if (engine == Engine::kMatrix) {
      multiply(command.matrix);
    } else if (command.compute) {
      command.compute();
    }
  }
  complete(command.token, now);
}

void Core::complete(isa::Token token, core::Cycle now) {
  token_done_[token.index] = now;
  changed_ = true;
  for (auto& [index, slot] : published_) {
    if (index == token.index) {
      fabric_.publish(slot, clock_.time_of(now));
      index = isa::Token::kNone;
    }
  }
  std::erase_if(published_, [](const auto& entry) { return entry.first == isa::Token::kNone; });
}

isa::Token Core::shared_token(std::uint32_t slot) { return {kSharedBit | slot}; }

void Core::publish(std::uint32_t slot, isa::Token token) {
  if (!token.valid() || done(token)) {
    fabric_.publish(slot, clock_.time_of(now_));
  } else {
    published_.emplace_back(token.index, slot);
  }
}

bool Core::done(isa::Token token) const {
  if ((token.index & kSharedBit) != 0) {
    const std::uint32_t slot = token.index & ~kSharedBit;
    return slot < shared_done_.size() && shared_done_[slot] != core::kNever;
  }
  return token_done_[token.index] != core::kNever;
}

bool Core::ready(const isa::Deps& deps) const {
  for (std::uint32_t i = 0; i < deps.count; ++i) {
    if (!done(deps.tokens[i])) return false;
  }
  return true;
}

void Core::check_finished(core::Cycle now) {
  if (!program_.finished() || load_.active_transfers + store_.active_transfers > 0) return;
  if (!load_.queue.empty() || !store_.queue.empty()) return;
  for (const Array* unit : {&matrix_, &vector_}) {
    if (!unit->queue.empty() || !unit->executing.empty()) return;
  }
  running_ = false;
  end_ = now;
  reason_.fill(Stall::kDrain);
}

isa::Tile Core::allocate(std::int64_t rows, std::int64_t cols, core::DType dtype,
                         std::int64_t& used, std::int64_t capacity, const char* key) {
  const std::int64_t bytes = rows * core::bytes_of(dtype, cols);
  if (used + bytes > capacity) {
    core::fail_input({}, key, std::to_string(capacity) + " bytes",
                     "is too small for this kernel's tiles",
                     std::to_string(used + bytes) + " bytes or more");
  }
  used += bytes;
  isa::Tile tile{rows, cols, dtype, nullptr};
  if (values()) {
    tile_values_.push_back(std::make_unique<float[]>(static_cast<std::size_t>(rows * cols)));
    tile.values = tile_values_.back().get();
  }
  return tile;
}

isa::Tile Core::tile(std::int64_t rows, std::int64_t cols, core::DType dtype) {
  return allocate(rows, cols, dtype, scratchpad_used_, config_.scratchpad_bytes,
                  "core.scratchpad_kib");
}

isa::Tile Core::accumulator(std::int64_t rows, std::int64_t cols) {
  return allocate(rows, cols, core::DType::kFp32, accumulator_used_, config_.accumulator_bytes,
                  "core.accumulator_kib");
}

}  // namespace ridgepoint::accel
