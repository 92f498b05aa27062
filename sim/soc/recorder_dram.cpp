// SPDX-License-Identifier: Apache-2.0
// The channel half of the recorder: rows of banks, bursts, data buses, refreshes, ends of arrows.
#include <algorithm>

#include "sim/soc/recorder.hpp"
#include "sim/soc/recorder_tracks.hpp"

namespace ridgepoint::soc {
namespace {

std::string_view refresh_timing(dram::Command command) {
  return command == dram::Command::kRefAb   ? "tRFC"
         : command == dram::Command::kRefPb ? "tRFCpb"
                                            : "tRFCsb";
}

}  // namespace

core::Femtoseconds Recorder::length(std::string_view timing) const {
  return spec_->tick_clock.time_of(spec_->timing(timing));
}

void Recorder::name_channel(std::int64_t channel) {
  const dram::Geometry& geometry = spec_->geometry;
  Channel& state = channels_[channel];
  state.banks.resize(static_cast<std::size_t>(geometry.total_banks()));
  state.buses.resize(static_cast<std::size_t>(geometry.pseudo_channels));
  const std::string number = std::to_string(channel);
  if (trace_) trace_->name_process(channel_process(channel), "HBM channel " + number);
  for (int pc = 0; pc < geometry.pseudo_channels; ++pc) {
    const std::string suffix = "pc" + std::to_string(pc);
    if (trace_) trace_->name_track(bus_track(channel, pc), "data bus " + suffix);
    if (!waveform_) continue;
    Bus& bus = state.buses[static_cast<std::size_t>(pc)];
    bus.read_signal = waveform_->declare("channel_" + number, suffix + "_data_read", 1);
    bus.write_signal = waveform_->declare("channel_" + number, suffix + "_data_write", 1);
  }
  if (!trace_) return;
  for (int bank = 0; bank < geometry.total_banks(); ++bank) {
    const int in_pc = bank % geometry.banks_per_pseudo_channel();
    const int in_sid = in_pc % geometry.banks_per_stack_id();
    trace_->name_track(bank_track(channel, bank),
                       "pc" + std::to_string(bank / geometry.banks_per_pseudo_channel()) + " sid" +
                           std::to_string(in_pc / geometry.banks_per_stack_id()) + " bg" +
                           std::to_string(in_sid / geometry.banks) + " bank" +
                           std::to_string(in_sid % geometry.banks));
  }
}

// Any bank that the command addresses.
int Recorder::flat_bank(const dram::IssuedCommand& command) const {
  const dram::Geometry& g = spec_->geometry;
  const int stack = command.pc * g.stack_ids + command.sid;
  return (stack * g.bank_groups + std::max(0, command.bg)) * g.banks + std::max(0, command.bank);
}

void Recorder::add_arrow(EngineState& state, const isa::Command& command, const accel::Piece& piece,
                         core::Femtoseconds at) {
  const auto channel = channels_.find(piece.port);
  if (command.view.space == isa::Space::kShared || channel == channels_.end()) return;
  const dram::DramAddress where =
      spec_->map->decode(static_cast<std::int64_t>(piece.address) / spec_->geometry.burst_bytes);
  Bank& bank = channel->second.banks[static_cast<std::size_t>(where.bank)];
  const bool write = command.engine == isa::Engine::kStore;
  bank.arrows[{where.row, where.column, write}].push_back(next_arrow_);
  state.arrows.emplace_back(next_arrow_++, at);
}

void Recorder::on_dram(std::int64_t channel, const dram::IssuedCommand& command,
                       core::Femtoseconds origin) {
  const core::Femtoseconds at = origin + spec_->tick_clock.time_of(command.tick) - skipped_;
  const int bank = flat_bank(command);
  if (dram::is_column(command.command)) return on_burst(channel, command, bank, at);
  std::vector<Bank>& banks = channels_.at(channel).banks;
  if (command.command == dram::Command::kAct) {
    banks[static_cast<std::size_t>(bank)].row = command.row;
    banks[static_cast<std::size_t>(bank)].opened = at;
    return;
  }
  const dram::BankSet set = spec_->geometry.addressed(command.command, bank);
  for (int i = 0; i < set.count; ++i) {
    const int one = set.first + i * set.stride;
    if (dram::precharges(command.command)) {
      close_row(channel, one, at);
      continue;
    }
    core::Femtoseconds from = at;
    core::Femtoseconds to = at + length(refresh_timing(command.command));
    if (trace_ && clip(from, to)) {
      trace_->slice(bank_track(channel, one), "refresh", dram::name_of(command.command), from, to);
    }
  }
}

void Recorder::on_burst(std::int64_t channel, const dram::IssuedCommand& command, int bank,
                        core::Femtoseconds at) {
  Channel& state = channels_.at(channel);
  const bool write = dram::is_write(command.command);
  Bus& bus = state.buses[static_cast<std::size_t>(command.pc)];
  const core::Femtoseconds data = at + (write ? write_latency_ : read_latency_);
  if (data != bus.to || write != bus.write) {
    draw_bus(channel, command.pc, bus);
    bus.from = data;
    bus.write = write;
  }
  bus.to = data + burst_;

  Bank& one = state.banks[static_cast<std::size_t>(bank)];
  const probe::Track track = bank_track(channel, bank);
  core::Femtoseconds from = at;
  core::Femtoseconds to = at + column_slot_;
  const bool drawn = trace_ && clip(from, to);
  if (drawn) {
    open_row(channel, bank);
    trace_->slice(track, "burst", dram::name_of(command.command), from, to,
                  "\"column\":" + std::to_string(command.column));
  }
  const auto waiting = one.arrows.find({one.row, command.column, write});
  if (waiting != one.arrows.end()) {
    if (drawn) trace_->flow_end(track, waiting->second.front(), from);
    waiting->second.pop_front();
    if (waiting->second.empty()) one.arrows.erase(waiting);
  }
  if (dram::auto_precharges(command.command)) close_row(channel, bank, at + column_slot_);
}

// Draws what is between two gaps of a data bus, or two turns of its direction.
void Recorder::draw_bus(std::int64_t channel, int pc, Bus& bus) {
  core::Femtoseconds from = bus.from;
  core::Femtoseconds to = bus.to;
  if (!clip(from, to)) return;
  if (trace_) {
    trace_->slice(bus_track(channel, pc), "data", bus.write ? "write" : "read", from, to,
                  "\"bytes\":" + std::to_string((bus.to - bus.from + burst_ / 2) / burst_ *
                                                spec_->geometry.burst_bytes));
  }
  if (waveform_) {
    const std::size_t signal = bus.write ? bus.write_signal : bus.read_signal;
    waveform_->change(signal, from, 1);
    waveform_->change(signal, to, 0);
  }
}

void Recorder::open_row(std::int64_t channel, int bank) {
  Bank& one = channels_.at(channel).banks[static_cast<std::size_t>(bank)];
  if (!trace_ || one.row < 0 || one.drawn || one.opened >= config_.to) return;
  trace_->open(bank_track(channel, bank), "row", "row " + std::to_string(one.row),
               std::max(one.opened, config_.from));
  one.drawn = true;
}

void Recorder::close_row(std::int64_t channel, int bank, core::Femtoseconds at) {
  Bank& one = channels_.at(channel).banks[static_cast<std::size_t>(bank)];
  if (one.row >= 0 && at > config_.from) open_row(channel, bank);
  if (one.drawn) trace_->close(bank_track(channel, bank), std::min(at, config_.to));
  one.row = -1;
  one.drawn = false;
}

}  // namespace ridgepoint::soc
