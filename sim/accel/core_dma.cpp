// SPDX-License-Identifier: Apache-2.0
// The DMA half of a core: commands become pieces, pieces go out as port room and the limit of bytes
// in flight allow, responses come back through the core's ingress port.
#include <algorithm>

#include "sim/accel/core.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::accel {

using isa::Engine;

namespace {

// Piece ids carry what the response needs: the transfer and the size.
constexpr std::uint64_t piece_id(std::uint32_t transfer, std::uint32_t bytes) {
  return (static_cast<std::uint64_t>(transfer) << 32) | bytes;
}

}  // namespace

std::uint32_t Core::new_transfer() {
  if (free_transfers_.empty()) {
    transfers_.emplace_back();
    return static_cast<std::uint32_t>(transfers_.size() - 1);
  }
  const std::uint32_t index = free_transfers_.back();
  free_transfers_.pop_back();
  return index;
}

// Takes the next command when its tokens are done and cuts its view into pieces.
bool Core::start_mover(Engine engine, core::Cycle now) {
  Mover& unit = mover(engine);
  if (unit.current == kNoTransfer) {
    if (unit.queue.empty() || !ready(unit.queue.front().deps)) return false;
    const std::uint32_t index = new_transfer();
    Transfer& transfer = transfers_[index];
    transfer.command = std::move(unit.queue.front());
    unit.queue.pop_front();
    transfer.pieces.clear();
    transfer.issued = 0;
    transfer.outstanding = 0;
    segments_.clear();
    isa::append_segments(transfer.command.view, segments_);
    for (const isa::Segment& segment : segments_) {
      fabric_.split(transfer.command.view.space, segment, engine == Engine::kStore,
                    transfer.pieces);
    }
    if (transfer.pieces.empty()) throw core::SimulationError("a DMA command moves no bytes");
    unit.current = index;
    ++unit.active_transfers;
  }
  return issue_pieces(engine, now);
}

// Returns true when the current command is fully issued, so that the next one may start.
bool Core::issue_pieces(Engine engine, core::Cycle now) {
  Mover& unit = mover(engine);
  Transfer& transfer = transfers_[unit.current];
  unit.blocked_on_port = false;
  while (transfer.issued < transfer.pieces.size()) {
    const Piece& piece = transfer.pieces[transfer.issued];
    if (unit.in_flight_bytes > 0 && unit.in_flight_bytes + piece.bytes > unit.limit_bytes) {
      return false;
    }
    if (port_blocked_.size() <= piece.port) port_blocked_.resize(piece.port + 1, false);
    if (port_blocked_[piece.port]) {
      unit.blocked_on_port = true;
      return false;
    }
    const core::Cycle departure = std::max(now, unit.next_issue);
    const bool is_store = engine == Engine::kStore;
    // One address per cycle; a store also holds the egress port for its data.
    unit.next_issue = departure + (is_store ? (piece.bytes + config_.port_bytes_per_cycle - 1) /
                                                  config_.port_bytes_per_cycle
                                            : 1);
    core::MemoryRequest request;
    request.id = piece_id(unit.current, piece.bytes);
    request.address = piece.address;
    request.bytes = piece.bytes;
    request.source = static_cast<std::uint32_t>(index());
    request.is_write = is_store;
    request.traffic = transfer.command.view.traffic;
    unit.in_flight_bytes += piece.bytes;
    ++unit.in_flight_pieces;
    ++transfer.outstanding;
    ++transfer.issued;
    if (observer_) {
      observer_->on_piece(index(), transfer.command, piece, departure, unit.next_issue,
                          transfer.issued == transfer.pieces.size());
    }
    if (!fabric_.send(piece, request, clock_.time_of(departure))) {
      port_blocked_[piece.port] = true;
    }
  }
  unit.current = kNoTransfer;
  return true;
}

void Core::on_piece(std::uint64_t id, core::Cycle now) {
  const auto index = static_cast<std::uint32_t>(id >> 32);
  const auto bytes = static_cast<std::int64_t>(id & 0xffffffffu);
  Transfer& transfer = transfers_[index];
  const Engine engine = transfer.command.engine;
  Mover& unit = mover(engine);
  unit.in_flight_bytes -= bytes;
  --unit.in_flight_pieces;
  core::Cycle arrived = now;
  if (engine == Engine::kLoad) {
    ingress_free_ = std::max(ingress_free_, now) +
                    (bytes + config_.port_bytes_per_cycle - 1) / config_.port_bytes_per_cycle;
    arrived = ingress_free_;
  }
  --transfer.outstanding;
  if (transfer.outstanding == 0 && transfer.issued == transfer.pieces.size()) {
    schedule(arrived, CoreAction::kTransferDone, index);
  }
  // Room for more in flight, or the last piece of a blocked engine: look again.
  if (unit.current != kNoTransfer) changed_ = true;
}

void Core::finish_transfer(std::uint32_t index, core::Cycle now) {
  Transfer& transfer = transfers_[index];
  const isa::Command& command = transfer.command;
  --mover(command.engine).active_transfers;
  if (values()) {
    if (command.engine == Engine::kLoad) {
      isa::read_values(command.view, command.tile.values, command.tile.cols);
    } else {
      isa::write_values(command.view, command.tile.values, command.tile.cols);
    }
  }
  const isa::Token token = command.token;
  free_transfers_.push_back(index);
  complete(token, now);
}

}  // namespace ridgepoint::accel
