// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/core_module.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace ridgepoint::soc {

CoreModule::CoreModule(const sc_core::sc_module_name& name, const accel::AcceleratorConfig& config,
                       std::int64_t index, const Splitter& splitter, PayloadPool& pool,
                       CoreTurns& turns)
    : sc_module(name),
      socket("socket"),
      config_(config),
      splitter_(splitter),
      pool_(pool),
      core_(config, index, *this),
      request_latency_(config.request_latency_ns * core::kFsPerNs),
      response_latency_(config.response_latency_ns * core::kFsPerNs),
      look_ahead_(config.shared_is_cache ? 1 : response_latency_),
      turns_(turns) {
  socket.register_nb_transport_bw(this, &CoreModule::nb_transport_bw);
}

void CoreModule::launch(isa::Program program, core::Cycle start, bool values) {
  core_.launch(std::move(program), start, values);
  running_ = true;
  wake_for_next_event();
}

void CoreModule::receive_token(std::uint32_t slot, core::Femtoseconds time) {
  core_.on_shared_token(slot, time);
  wake_for_next_event();
}

void CoreModule::split(isa::Space space, const isa::Segment& segment, bool is_write,
                       std::vector<accel::Piece>& out) {
  splitter_(space, segment, is_write, out);
}

bool CoreModule::send(const accel::Piece& piece, const core::MemoryRequest& request,
                      core::Femtoseconds departure) {
  tlm::tlm_generic_payload* payload = pool_.acquire();
  payload->set_command(request.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload->set_address(piece.address);
  payload->set_data_length(piece.bytes);
  payload->set_streaming_width(piece.bytes);
  DmaExtension* extension = payload->get_extension<DmaExtension>();
  extension->id = request.id;
  extension->traffic = request.traffic;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_sc_time(departure + request_latency_ - now_fs());
  const int port = static_cast<int>(piece.port);
  const tlm::tlm_sync_enum status = socket[port]->nb_transport_fw(*payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    phase = tlm::BEGIN_RESP;
    nb_transport_bw(port, *payload, phase, delay);
    return true;
  }
  return status == tlm::TLM_UPDATED && phase == tlm::END_REQ;
}

tlm::tlm_sync_enum CoreModule::nb_transport_bw(int port, tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const core::Femtoseconds time = now_fs() + from_sc_time(delay) + response_latency_;
  if (phase == tlm::END_REQ) {
    core_.on_credit(static_cast<std::uint32_t>(port), time);
    wake_for_next_event();
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP) {
    throw core::SimulationError("core: unexpected TLM phase " + std::string(phase.get_name()));
  }
  if (payload.is_response_error()) {
    throw core::SimulationError("memory port " + std::to_string(port) + " answered " +
                                payload.get_response_string());
  }
  core_.on_response(payload.get_extension<DmaExtension>()->id, time);
  payload.release();
  wake_for_next_event();
  return tlm::TLM_COMPLETED;
}

void CoreModule::take_turn() {
  if (wake_at_ > now_fs()) return;
  wake_at_ = core::kNever;
  try {
    core_.advance(core_.clock().first_cycle_at_or_after(now_fs() + look_ahead_));
  } catch (...) {
    on_error(std::current_exception());
    return;
  }
  wake_for_next_event();
  if (running_ && core_.finished()) {
    running_ = false;
    on_finished();
  }
}

void CoreModule::wake_for_next_event() {
  const core::Cycle cycle = core_.next_event();
  if (cycle == core::kNever) return;
  const core::Femtoseconds now = now_fs();
  const core::Femtoseconds time = std::max(now, core_.clock().time_of(cycle));
  if (wake_at_ <= time) return;
  wake_at_ = time;
  turns_.wake(static_cast<std::size_t>(core_.index()), time);
}

}  // namespace ridgepoint::soc
