// SPDX-License-Identifier: Apache-2.0
// One core: a kernel coroutine, four in-order engines and the DMA's view of the fabric. Plain C++:
// time is an argument, in cycles of the core clock. It may be simulated ahead of the caller's clock
// up to the response latency, because nothing from outside can take effect sooner.
#pragma once

#include <algorithm>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "sim/accel/config.hpp"
#include "sim/accel/core_state.hpp"
#include "sim/accel/fabric.hpp"
#include "sim/accel/observer.hpp"
#include "sim/core/time.hpp"
#include "sim/isa/core_port.hpp"
#include "sim/probe/stall.hpp"

namespace ridgepoint::accel {

// Cycles the array is occupied by one command, and its pipeline latency after that. Weight
// stationary: ceil(K/rows) * ceil(N/cols) passes; each streams M rows while the next pass's
// weights are shifted in (rows cycles), so a pass takes max(M, rows). At the peak rate, or at the
// sustained one.
struct MatrixCycles {
  core::Cycle occupancy = 0;
  core::Cycle latency = 0;
};
MatrixCycles matrix_cycles(const AcceleratorConfig& config, const isa::MatrixOp& op,
                           bool at_peak = false);
// Whether an array that has done `worked` cycles of peak work in `busy` cycles since the launch may
// do more at the peak rate: the board's power allows some, and then the sustained rate.
bool at_peak_rate(const AcceleratorConfig& config, core::Cycle worked, core::Cycle busy);
core::Cycle vector_cycles(const AcceleratorConfig& config, const isa::VectorOp& op);

class Core final : public isa::CorePort {
 public:
  Core(const AcceleratorConfig& config, std::int64_t index, Fabric& fabric);

  // Starts `program` at `start`; the core must be finished with the previous one.
  void launch(isa::Program program, core::Cycle start, bool values);
  bool finished() const { return !running_; }
  core::Cycle end() const { return end_; }  // of the last kernel, once finished
  // Books the time since this core's end: drain up to `kernel_end`, launch up to `next_start`.
  void close_kernel(core::Cycle kernel_end, core::Cycle next_start);
  // Leaves the time up to `cycle` out of the books.
  void skip_to(core::Cycle cycle) { booked_ = std::max(booked_, cycle); }

  void advance(core::Cycle until);
  core::Cycle next_event() const { return events_.empty() ? core::kNever : events_.top().cycle; }

  // From the fabric; `time` is when it takes effect here.
  void on_response(std::uint64_t id, core::Femtoseconds time);
  void on_credit(std::uint32_t port, core::Femtoseconds time);
  void on_shared_token(std::uint32_t slot, core::Femtoseconds time);

  const CoreCounters& counters() const { return counters_; }
  // Null: none. It must outlive the core or be taken away.
  void observe(CoreObserver* observer) { observer_ = observer; }
  const core::Clock& clock() const { return clock_; }
  // What each engine waits for, for a deadlock report.
  std::string describe() const;

  isa::Tile tile(std::int64_t rows, std::int64_t cols, core::DType dtype) override;
  isa::Tile accumulator(std::int64_t rows, std::int64_t cols) override;
  isa::Token shared_token(std::uint32_t slot) override;
  void publish(std::uint32_t slot, isa::Token token) override;
  bool done(isa::Token token) const override;
  void wake_program_on(isa::Token token) override { program_waits_for_ = token; }

 protected:
  isa::Token issue(isa::Command command) override;

 private:
  static constexpr std::uint32_t kSharedBit = 0x80000000u;

  void schedule(core::Cycle cycle, CoreAction what, std::uint64_t payload);
  void process(const CoreEvent& event, core::Cycle now);
  void settle(core::Cycle now);
  bool resume_program();
  bool start_mover(isa::Engine engine, core::Cycle now);
  bool issue_pieces(isa::Engine engine, core::Cycle now);
  bool start_array(isa::Engine engine, core::Cycle now);
  void on_piece(std::uint64_t id, core::Cycle now);
  void finish_transfer(std::uint32_t index, core::Cycle now);
  void finish_array(isa::Engine engine, core::Cycle now);
  void complete(isa::Token token, core::Cycle now);
  bool ready(const isa::Deps& deps) const;
  probe::Stall reason_of(const isa::Deps& deps) const;
  probe::Stall current_reason(isa::Engine engine, core::Cycle now) const;
  void book(core::Cycle now);
  void book_all(probe::Stall reason, core::Cycle until);
  void tell_queues(core::Cycle now) const;
  void check_finished(core::Cycle now);
  std::uint32_t new_transfer();
  isa::Tile allocate(std::int64_t rows, std::int64_t cols, core::DType dtype, std::int64_t& used,
                     std::int64_t capacity, const char* key);
  Mover& mover(isa::Engine engine) { return engine == isa::Engine::kLoad ? load_ : store_; }
  Array& array(isa::Engine engine) { return engine == isa::Engine::kMatrix ? matrix_ : vector_; }

  const AcceleratorConfig& config_;
  Fabric& fabric_;
  core::Clock clock_;
  std::priority_queue<CoreEvent, std::vector<CoreEvent>, std::greater<>> events_;

  isa::Program program_;
  isa::Token program_waits_for_;
  bool running_ = false;
  bool started_ = false;
  core::Cycle end_ = 0;

  std::vector<core::Cycle> token_done_;  // kNever until done; index = Token::index
  std::vector<isa::Engine> token_engine_;
  std::vector<core::Cycle> shared_done_;                            // when this core sees the slot
  std::vector<std::pair<std::uint32_t, std::uint32_t>> published_;  // token index -> slot, pending

  Mover load_, store_;
  Array matrix_, vector_;
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> free_transfers_;
  std::vector<bool> port_blocked_;
  core::Cycle ingress_free_ = 0;
  std::vector<isa::Segment> segments_;  // scratch of start_mover

  core::Cycle matrix_worked_ = 0;  // at the peak rate, since the launch
  core::Cycle matrix_busy_ = 0;    // at the rates it had
  std::int64_t scratchpad_used_ = 0;
  std::int64_t accumulator_used_ = 0;
  std::vector<std::unique_ptr<float[]>> tile_values_;

  CoreObserver* observer_ = nullptr;
  CoreCounters counters_;
  std::array<probe::Stall, isa::kEngines> reason_{};
  core::Cycle now_ = 0;
  core::Cycle booked_ = 0;
  bool changed_ = false;
};

}  // namespace ridgepoint::accel
