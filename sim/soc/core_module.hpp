// SPDX-License-Identifier: Apache-2.0
// An accel::Core behind one TLM-2.0 initiator socket, bound to every memory port in port order.
// The fabric's latencies are added here, on the initiator's side, so that any AT target can be
// bound: requests are annotated with the request latency, responses and END_REQ take effect one
// response latency after the time the target annotates.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>

#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/accel/core.hpp"
#include "sim/soc/core_turns.hpp"
#include "sim/soc/payload.hpp"

namespace ridgepoint::soc {

// Cuts an address range of a memory space into pieces.
using Splitter =
    std::function<void(isa::Space, const isa::Segment&, bool is_write, std::vector<accel::Piece>&)>;

class CoreModule : public sc_core::sc_module, public accel::Fabric {
 public:
  tlm_utils::multi_passthrough_initiator_socket<CoreModule> socket;

  CoreModule(const sc_core::sc_module_name& name, const accel::AcceleratorConfig& config,
             std::int64_t index, const Splitter& splitter, PayloadPool& pool, CoreTurns& turns);

  accel::Core& core() { return core_; }
  void launch(isa::Program program, core::Cycle start, bool values);
  void take_turn();

  // Set by the machine: the signal network between cores, and the end of a kernel on this core.
  std::function<void(std::uint32_t slot, core::Femtoseconds time)> on_publish;
  std::function<void()> on_finished;
  // What a kernel threw; SystemC would turn it into a report and lose its type.
  std::function<void(std::exception_ptr)> on_error;
  void receive_token(std::uint32_t slot, core::Femtoseconds time);

  void split(isa::Space space, const isa::Segment& segment, bool is_write,
             std::vector<accel::Piece>& out) override;
  bool send(const accel::Piece& piece, const core::MemoryRequest& request,
            core::Femtoseconds departure) override;
  void publish(std::uint32_t slot, core::Femtoseconds time) override { on_publish(slot, time); }

 private:
  tlm::tlm_sync_enum nb_transport_bw(int port, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void wake_for_next_event();

  const accel::AcceleratorConfig& config_;
  const Splitter& splitter_;
  PayloadPool& pool_;
  accel::Core core_;
  core::Femtoseconds request_latency_;
  core::Femtoseconds response_latency_;
  core::Femtoseconds look_ahead_;  // of the core; none where cores share a cache's directory
  CoreTurns& turns_;
  core::Femtoseconds wake_at_ = core::kNever;
  bool running_ = false;
};

}  // namespace ridgepoint::soc
