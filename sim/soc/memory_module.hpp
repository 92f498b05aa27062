// SPDX-License-Identifier: Apache-2.0
// A core::MemoryPort (HBM channel, shared memory) behind a TLM-2.0 target socket. Back-pressure is
// the base protocol's: END_REQ is withheld while a source has `credits` pieces waiting here.
// Writes are posted: a write is answered when it has left the port's input queue, since whatever is
// read later sees it. The module wakes once per look-ahead, not once per piece.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/core/memory_port.hpp"

namespace ridgepoint::soc {

class MemoryModule : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<MemoryModule> socket;

  // `gb_per_s`: rate at which answers leave (0: at once); more only wait, in order.
  // `look_ahead`: every initiator promises requests with at least this annotated delay (0 for
  // initiators that promise nothing).
  MemoryModule(const sc_core::sc_module_name& name, std::unique_ptr<core::MemoryPort> port,
               core::Femtoseconds look_ahead, std::int64_t credits, double gb_per_s = 0);

  // A fresh port whose time begins at `origin`, now or later. Only while nothing is in flight.
  void replace_port(std::unique_ptr<core::MemoryPort> port, core::Femtoseconds origin);
  // Simulates an idle port up to `time`, so that its counters cover the time until then.
  void settle(core::Femtoseconds time);
  core::MemoryPort& port() { return *port_; }
  core::Femtoseconds origin() const { return origin_; }  // when the port's time began
  std::size_t in_flight() const { return held_.size() - free_slots_.size(); }
  core::Femtoseconds written_until() const { return written_until_; }  // by the latest write

 private:
  struct Held {
    tlm::tlm_generic_payload* payload = nullptr;  // none once it is answered
    int source = 0;
  };
  // Pieces of one source that have not left the input queue, oldest first; kNever: not yet known.
  struct Source {
    std::deque<core::Femtoseconds> waiting;
    std::size_t known = 0;  // leading entries of `waiting` that are known
    tlm::tlm_generic_payload* withheld = nullptr;
  };

  tlm::tlm_sync_enum nb_transport_fw(int source, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void step();
  Held& held(const core::MemoryEvent& event);
  void answer(Held& held, core::Femtoseconds time);
  core::Femtoseconds leaves_at(core::Femtoseconds time, std::uint64_t bytes);
  void grant(int source);
  void wake_no_later_than(core::Femtoseconds time);
  std::uint64_t hold(tlm::tlm_generic_payload& payload, int source);

  std::unique_ptr<core::MemoryPort> port_;
  core::Femtoseconds look_ahead_;
  core::Femtoseconds origin_ = 0;
  std::size_t credits_;
  double fs_per_byte_;  // 0: no limit
  core::Femtoseconds port_free_ = 0;
  core::Femtoseconds written_until_ = 0;
  sc_core::sc_event wake_;
  core::Femtoseconds wake_at_ = core::kNever;
  std::vector<Held> held_;
  std::vector<std::uint64_t> free_slots_;
  // Request ids are sequence << kSlotBits | slot: a source's simultaneous requests keep their
  // order.
  static constexpr int kSlotBits = 24;
  std::uint64_t sequence_ = 0;
  std::vector<Source> sources_;
  std::vector<core::MemoryEvent> events_;
};

}  // namespace ridgepoint::soc
