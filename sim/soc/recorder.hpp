// SPDX-License-Identifier: Apache-2.0
// Draws what a machine does: every engine and DMA queue of some cores, every bank and data bus of
// some channels, within a window of time, as a Chrome trace and as a waveform. A machine without a
// recorder does not know of it. Launches that were not simulated are not drawn. An arrow goes from
// a DMA command to the first burst of each of its pieces; it ends at the next column command of
// that address, so a read that the write queue answered may borrow a later one's.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/accel/observer.hpp"
#include "sim/dram/address_map.hpp"
#include "sim/dram/channel.hpp"
#include "sim/probe/chrome_trace.hpp"
#include "sim/probe/vcd.hpp"

namespace ridgepoint::soc {

struct RecorderConfig {
  core::Femtoseconds from = 0;  // window, from the machine's first cycle
  core::Femtoseconds to = core::kNever;
  std::vector<std::int64_t> cores;        // drawn; others only count
  std::vector<std::int64_t> channels;     // the same
  probe::TextSink timeline;               // empty: no trace
  probe::TextSink waveform;               // empty: no waveform
  std::size_t most_changes = 20'000'000;  // of waveform signals; they are held in memory
};

class Recorder final : public accel::CoreObserver {
 public:
  explicit Recorder(RecorderConfig config);
  ~Recorder() override;

  // Called by the machine that is watched.
  void begin(const core::Clock& clock, std::shared_ptr<const dram::Spec> spec);
  bool draws_core(std::int64_t core) const;
  bool draws_channel(std::int64_t channel) const;
  void on_kernel(const std::string& name, core::Femtoseconds launch, core::Femtoseconds start,
                 core::Femtoseconds end);
  // Between kernels, time went from `from` to `to` and memory became new: neither is drawn.
  void on_skip(core::Femtoseconds from, core::Femtoseconds to);
  void on_dram(std::int64_t channel, const dram::IssuedCommand& command, core::Femtoseconds origin);

  void on_state(std::int64_t core, isa::Engine engine, probe::Stall state, core::Cycle from,
                core::Cycle to) override;
  void on_queue(std::int64_t core, isa::Engine engine, std::size_t depth, core::Cycle at) override;
  void on_compute(std::int64_t core, const isa::Command& command, core::Cycle from,
                  core::Cycle to) override;
  void on_piece(std::int64_t core, const isa::Command& command, const accel::Piece& piece,
                core::Cycle from, core::Cycle to, bool last) override;

  // Ends what is still open, at the last kernel's or the window's end, and completes both outputs.
  // No more calls afterwards.
  void finish();
  std::uint64_t events() const;  // of the trace, names included

 private:
  struct EngineState {
    probe::Stall state = probe::Stall::kLaunch;
    core::Femtoseconds from = 0, to = 0;  // the span that may still grow
    std::size_t depth = 0;
    bool depth_drawn = false;
    std::size_t busy_signal = 0, depth_signal = 0;
    // The DMA command that is being cut into pieces, and where its arrows leave.
    core::Femtoseconds command_from = 0;
    std::vector<std::pair<std::uint64_t, core::Femtoseconds>> arrows;
    std::int64_t pieces = 0;
  };
  struct Burst {
    std::int64_t row;
    int column;
    bool write;
    friend auto operator<=>(const Burst&, const Burst&) = default;
  };
  struct Bank {
    std::int64_t row = -1;                              // open row
    core::Femtoseconds opened = 0;                      // when
    bool drawn = false;                                 // its slice is open in the trace
    std::map<Burst, std::deque<std::uint64_t>> arrows;  // still to end here
  };
  struct Bus {  // of one pseudo-channel
    core::Femtoseconds from = 0, to = 0;
    bool write = false;
    std::size_t read_signal = 0, write_signal = 0;
  };
  struct Channel {
    std::vector<Bank> banks;
    std::vector<Bus> buses;
  };
  using EngineStates = std::vector<EngineState>;

  EngineState& state_of(std::int64_t core, isa::Engine engine);
  core::Femtoseconds shown(core::Cycle cycle) const { return clock_->time_of(cycle) - skipped_; }
  bool inside(core::Femtoseconds at) const { return at >= config_.from && at < config_.to; }
  // The part inside the window; false if there is none.
  bool clip(core::Femtoseconds& from, core::Femtoseconds& to) const;
  void name_core(std::int64_t core);
  void name_channel(std::int64_t channel);
  void draw_state(std::int64_t core, isa::Engine engine, EngineState& state);
  void draw_depth(std::int64_t core, isa::Engine engine, EngineState& state, core::Femtoseconds at,
                  std::size_t depth);
  void add_arrow(EngineState& state, const isa::Command& command, const accel::Piece& piece,
                 core::Femtoseconds at);
  void draw_transfer(std::int64_t core, const isa::Command& command, EngineState& state,
                     core::Femtoseconds to);
  void draw_bus(std::int64_t channel, int pc, Bus& bus);
  void on_burst(std::int64_t channel, const dram::IssuedCommand& command, int bank,
                core::Femtoseconds at);
  void open_row(std::int64_t channel, int bank);
  void close_row(std::int64_t channel, int bank, core::Femtoseconds at);
  int flat_bank(const dram::IssuedCommand& command) const;
  core::Femtoseconds length(std::string_view timing) const;

  RecorderConfig config_;
  std::optional<core::Clock> clock_;
  std::shared_ptr<const dram::Spec> spec_;
  core::Femtoseconds read_latency_ = 0, write_latency_ = 0, burst_ = 0, column_slot_ = 0;
  core::Femtoseconds end_ = 0;  // of the last kernel
  core::Femtoseconds skipped_ = 0;
  std::unique_ptr<probe::ChromeTrace> trace_;
  std::unique_ptr<probe::VcdWriter> waveform_;
  std::map<std::int64_t, EngineStates> cores_;
  std::map<std::int64_t, Channel> channels_;
  std::uint64_t next_arrow_ = 1;
};

}  // namespace ridgepoint::soc
