// SPDX-License-Identifier: Apache-2.0
// The core half of the recorder: kernels, engines, queues, DMA commands. Channels are in
// recorder_dram.cpp.
#include "sim/soc/recorder.hpp"

#include <algorithm>

#include "sim/soc/recorder_tracks.hpp"

namespace ridgepoint::soc {

using isa::Engine;
using probe::Stall;

Recorder::Recorder(RecorderConfig config) : config_(std::move(config)) {
  if (config_.timeline) trace_ = std::make_unique<probe::ChromeTrace>(config_.timeline);
  if (config_.waveform) waveform_ = std::make_unique<probe::VcdWriter>(config_.most_changes);
}

Recorder::~Recorder() = default;

void Recorder::begin(const core::Clock& clock, std::shared_ptr<const dram::Spec> spec) {
  clock_ = clock;
  spec_ = std::move(spec);
  burst_ = length("tBURST");
  read_latency_ = length("tCL");
  write_latency_ = length("tCWL");
  // What a burst occupies on its bank's track; a precharge may follow it after tRTP.
  column_slot_ = std::min(burst_, length("tRTP"));
  if (trace_) {
    trace_->name_process(kHostProcess, "host");
    trace_->name_track({kHostProcess, 0}, "kernels");
  }
  for (const std::int64_t core : config_.cores) name_core(core);
  for (const std::int64_t channel : config_.channels) name_channel(channel);
}

void Recorder::name_core(std::int64_t core) {
  EngineStates& engines = cores_[core];
  engines.resize(isa::kEngines);
  const std::string scope = "core_" + std::to_string(core);
  if (trace_) trace_->name_process(core_process(core), "core " + std::to_string(core));
  for (std::size_t e = 0; e < isa::kEngines; ++e) {
    const std::string name(isa::kEngineNames[e]);
    const auto engine = static_cast<Engine>(e);
    if (trace_) {
      trace_->name_track(state_track(core, engine), name);
      trace_->name_track(command_track(core, engine), name + " commands");
    }
    if (waveform_) {
      engines[e].busy_signal = waveform_->declare(scope, name + "_busy", 1);
      engines[e].depth_signal = waveform_->declare(scope, name + "_queue", 16);
    }
  }
}

bool Recorder::draws_core(std::int64_t core) const {
  return std::count(config_.cores.begin(), config_.cores.end(), core) > 0;
}

bool Recorder::draws_channel(std::int64_t channel) const {
  return std::count(config_.channels.begin(), config_.channels.end(), channel) > 0;
}

Recorder::EngineState& Recorder::state_of(std::int64_t core, Engine engine) {
  return cores_.at(core)[static_cast<std::size_t>(engine)];
}

bool Recorder::clip(core::Femtoseconds& from, core::Femtoseconds& to) const {
  from = std::max(from, config_.from);
  to = std::min(to, config_.to);
  return from < to;
}

void Recorder::on_kernel(const std::string& name, core::Femtoseconds launch,
                         core::Femtoseconds start, core::Femtoseconds end) {
  launch -= skipped_;
  start -= skipped_;
  end -= skipped_;
  end_ = end;
  if (!trace_) return;
  const probe::Track track{kHostProcess, 0};
  if (clip(launch, start)) trace_->slice(track, "launch", "launch " + name, launch, start);
  if (clip(start, end)) trace_->slice(track, "kernel", name, start, end);
}

void Recorder::on_skip(core::Femtoseconds from, core::Femtoseconds to) {
  for (auto& [index, channel] : channels_) {
    for (std::size_t b = 0; b < channel.banks.size(); ++b) {
      Bank& bank = channel.banks[b];
      close_row(index, static_cast<int>(b), std::max(from - skipped_, bank.opened));
      bank.arrows.clear();
    }
  }
  skipped_ += to - from;
}

void Recorder::on_state(std::int64_t core, Engine engine, Stall state, core::Cycle from,
                        core::Cycle to) {
  EngineState& now = state_of(core, engine);
  const core::Femtoseconds start = shown(from);
  if (state != now.state || start != now.to) {
    draw_state(core, engine, now);
    now.state = state;
    now.from = start;
  }
  now.to = shown(to);
}

void Recorder::draw_state(std::int64_t core, Engine engine, EngineState& state) {
  core::Femtoseconds from = state.from;
  core::Femtoseconds to = state.to;
  if (!clip(from, to)) return;
  const auto name = probe::kStallNames[static_cast<std::size_t>(state.state)];
  const bool busy = state.state == Stall::kBusy;
  // Gaps say that there was nothing to do; waits and work are drawn.
  const bool idle = state.state == Stall::kNoCommand || state.state == Stall::kLaunch;
  if (trace_ && !idle) {
    trace_->slice(state_track(core, engine), busy ? "busy" : "stall", name, from, to);
  }
  if (waveform_ && busy) {
    waveform_->change(state.busy_signal, from, 1);
    waveform_->change(state.busy_signal, to, 0);
  }
}

void Recorder::on_queue(std::int64_t core, Engine engine, std::size_t depth, core::Cycle at) {
  EngineState& state = state_of(core, engine);
  const core::Femtoseconds time = shown(at);
  if (depth == state.depth || time >= config_.to) return;
  if (time >= config_.from) {
    if (!state.depth_drawn) draw_depth(core, engine, state, config_.from, state.depth);
    draw_depth(core, engine, state, time, depth);
  }
  state.depth = depth;
}

void Recorder::draw_depth(std::int64_t core, Engine engine, EngineState& state,
                          core::Femtoseconds at, std::size_t depth) {
  state.depth_drawn = true;
  const auto value = static_cast<std::uint32_t>(std::min<std::size_t>(depth, 0xffff));
  if (trace_) {
    const std::string name(isa::kEngineNames[static_cast<std::size_t>(engine)]);
    trace_->counter(counter_track(core, engine), name + " queue", at, value);
  }
  if (waveform_) waveform_->change(state.depth_signal, at, value);
}

void Recorder::on_compute(std::int64_t core, const isa::Command& command, core::Cycle from,
                          core::Cycle to) {
  core::Femtoseconds start = shown(from);
  core::Femtoseconds end = shown(to);
  if (!trace_ || !clip(start, end)) return;
  const isa::MatrixOp& op = command.matrix;
  const std::string name =
      command.engine == Engine::kMatrix
          ? std::to_string(op.m) + 'x' + std::to_string(op.n) + 'x' + std::to_string(op.k)
          : std::to_string(command.vector.elements) + " elements";
  trace_->slice(command_track(core, command.engine), "command", name, start, end);
}

void Recorder::on_piece(std::int64_t core, const isa::Command& command, const accel::Piece& piece,
                        core::Cycle from, core::Cycle to, bool last) {
  if (!trace_) return;
  EngineState& state = state_of(core, command.engine);
  const core::Femtoseconds at = shown(from);
  if (state.pieces++ == 0) state.command_from = at;
  if (inside(at)) add_arrow(state, command, piece, at);
  if (last) draw_transfer(core, command, state, shown(to));
}

void Recorder::draw_transfer(std::int64_t core, const isa::Command& command, EngineState& state,
                             core::Femtoseconds to) {
  const probe::Track track = command_track(core, command.engine);
  core::Femtoseconds from = state.command_from;
  if (clip(from, to)) {
    const isa::View& view = command.view;
    const auto traffic = core::kTrafficNames[static_cast<std::size_t>(view.traffic)];
    const std::string name = std::string(traffic) + ' ' + std::to_string(view.rows) + 'x' +
                             std::to_string(view.cols) +
                             (view.space == isa::Space::kShared ? " (shared)" : "");
    trace_->slice(track, "dma", name, from, to,
                  "\"bytes\":" + std::to_string(view.bytes()) +
                      ",\"pieces\":" + std::to_string(state.pieces) +
                      ",\"address\":" + std::to_string(view.address));
    for (const auto& [id, at] : state.arrows) trace_->flow_start(track, id, at);
  }
  state.arrows.clear();
  state.pieces = 0;
}

void Recorder::finish() {
  for (auto& [core, engines] : cores_) {
    for (std::size_t e = 0; e < isa::kEngines; ++e) {
      draw_state(core, static_cast<Engine>(e), engines[e]);
      if (!engines[e].depth_drawn) {
        draw_depth(core, static_cast<Engine>(e), engines[e], config_.from, engines[e].depth);
      }
    }
  }
  for (auto& [index, channel] : channels_) {
    for (std::size_t b = 0; b < channel.banks.size(); ++b) {
      close_row(index, static_cast<int>(b), std::max(end_, channel.banks[b].opened));
    }
    for (std::size_t pc = 0; pc < channel.buses.size(); ++pc) {
      draw_bus(index, static_cast<int>(pc), channel.buses[pc]);
    }
  }
  if (trace_) trace_->finish();
  if (waveform_) {
    waveform_->write(config_.waveform, config_.from,
                     std::max(config_.from, std::min(config_.to, end_)));
  }
}

std::uint64_t Recorder::events() const { return trace_ ? trace_->events() : 0; }

}  // namespace ridgepoint::soc
