// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/payload.hpp"

namespace ridgepoint::soc {

PayloadPool::~PayloadPool() {
  for (tlm::tlm_generic_payload* payload : all_) delete payload;  // frees the extension too
}

tlm::tlm_generic_payload* PayloadPool::acquire() {
  if (free_.empty()) {
    auto* payload = new tlm::tlm_generic_payload(this);
    payload->set_extension(new DmaExtension);
    payload->set_byte_enable_ptr(nullptr);
    payload->set_data_ptr(nullptr);  // values travel with the command, not with the piece
    all_.push_back(payload);
    free_.push_back(payload);
  }
  tlm::tlm_generic_payload* payload = free_.back();
  free_.pop_back();
  payload->acquire();
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return payload;
}

}  // namespace ridgepoint::soc
