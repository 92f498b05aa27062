// SPDX-License-Identifier: Apache-2.0
// The TLM-2.0 generic payload of one DMA piece. Address, length and command are the payload's own;
// the extension adds what a plain memory does not need. Private to sim/soc.
#pragma once

#include <systemc>
#include <tlm>
#include <vector>

#include "sim/core/memory_port.hpp"

namespace ridgepoint::soc {

// Present on every piece a core sends; a foreign target may ignore it.
struct DmaExtension : tlm::tlm_extension<DmaExtension> {
  std::uint64_t id = 0;
  core::Traffic traffic = core::Traffic::kOther;

  tlm::tlm_extension_base* clone() const override { return new DmaExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DmaExtension&>(other);
  }
};

// Payloads are reused; at most as many exist as were ever in flight at once.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  ~PayloadPool() override;
  // A payload with one reference and its extension attached.
  tlm::tlm_generic_payload* acquire();
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  std::vector<tlm::tlm_generic_payload*> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

inline sc_core::sc_time to_sc_time(core::Femtoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time));
}
inline core::Femtoseconds from_sc_time(const sc_core::sc_time& time) {
  return static_cast<core::Femtoseconds>(time.value());
}
inline core::Femtoseconds now_fs() { return from_sc_time(sc_core::sc_time_stamp()); }

}  // namespace ridgepoint::soc
