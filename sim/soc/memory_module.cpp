// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/memory_module.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/soc/payload.hpp"

namespace ridgepoint::soc {

MemoryModule::MemoryModule(const sc_core::sc_module_name& name,
                           std::unique_ptr<core::MemoryPort> port, core::Femtoseconds look_ahead,
                           std::int64_t credits, double gb_per_s)
    : sc_module(name),
      socket("socket"),
      port_(std::move(port)),
      look_ahead_(std::max<core::Femtoseconds>(look_ahead, 1)),
      credits_(static_cast<std::size_t>(credits)),
      fs_per_byte_(gb_per_s > 0 ? 1e6 / gb_per_s : 0) {
  socket.register_nb_transport_fw(this, &MemoryModule::nb_transport_fw);
  SC_HAS_PROCESS(MemoryModule);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void MemoryModule::replace_port(std::unique_ptr<core::MemoryPort> port, core::Femtoseconds origin) {
  if (in_flight() != 0) throw core::SimulationError("a memory in use cannot be replaced");
  port_ = std::move(port);
  origin_ = origin;
  sequence_ = 0;
  for (Source& source : sources_) {
    source.waiting.clear();
    source.known = 0;
  }
}

void MemoryModule::settle(core::Femtoseconds time) {
  if (in_flight() != 0) throw core::SimulationError("memory: in use after the kernel's end");
  if (time > origin_) port_->advance(time - origin_);
}

std::uint64_t MemoryModule::hold(tlm::tlm_generic_payload& payload, int source) {
  payload.acquire();
  if (free_slots_.empty()) {
    free_slots_.push_back(held_.size());
    held_.emplace_back();
  }
  const std::uint64_t slot = free_slots_.back();
  free_slots_.pop_back();
  held_[slot] = {&payload, source};
  return (sequence_++ << kSlotBits) | slot;
}

tlm::tlm_sync_enum MemoryModule::nb_transport_fw(int source, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  if (phase != tlm::BEGIN_REQ) {
    throw core::SimulationError("memory: unexpected TLM phase " + std::string(phase.get_name()));
  }
  const core::Femtoseconds now = now_fs();
  const auto index = static_cast<std::size_t>(source);
  if (sources_.size() <= index) sources_.resize(index + 1);
  Source& from = sources_[index];
  const DmaExtension* extension = payload.get_extension<DmaExtension>();
  core::MemoryRequest request;
  request.id = hold(payload, source);
  request.address = payload.get_address();
  request.bytes = payload.get_data_length();
  request.source = static_cast<std::uint32_t>(source);
  request.arrival = now + from_sc_time(delay) - origin_;
  request.is_write = payload.is_write();
  if (extension != nullptr) request.traffic = extension->traffic;
  port_->submit(request);
  wake_no_later_than(std::max(now, port_->next_event() + origin_));

  // Pieces known to have left before now free their places; a later instant does not count, so
  // the answer is the same whichever process runs first now.
  while (from.known > 0 && from.waiting.front() < now) {
    from.waiting.pop_front();
    --from.known;
  }
  from.waiting.push_back(core::kNever);
  if (from.waiting.size() < credits_) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  from.withheld = &payload;
  if (from.known > 0) wake_no_later_than(now);
  return tlm::TLM_ACCEPTED;
}

// Sends a withheld END_REQ as soon as the time at which a place becomes free is known.
void MemoryModule::grant(int source) {
  Source& from = sources_[static_cast<std::size_t>(source)];
  if (from.withheld == nullptr || from.known == 0) return;
  const core::Femtoseconds free_at = from.waiting.front();
  from.waiting.pop_front();
  --from.known;
  tlm::tlm_generic_payload& payload = *from.withheld;
  from.withheld = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = to_sc_time(std::max<core::Femtoseconds>(0, free_at - now_fs()));
  socket[source]->nb_transport_bw(payload, phase, delay);
}

MemoryModule::Held& MemoryModule::held(const core::MemoryEvent& event) {
  return held_[event.id & ((std::uint64_t{1} << kSlotBits) - 1)];
}

void MemoryModule::answer(Held& held, core::Femtoseconds time) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = to_sc_time(std::max<core::Femtoseconds>(0, time - now_fs()));
  const int source = held.source;
  tlm::tlm_generic_payload* const payload = std::exchange(held.payload, nullptr);
  payload->set_response_status(tlm::TLM_OK_RESPONSE);
  socket[source]->nb_transport_bw(*payload, phase, delay);
  payload->release();
}

// When an answer of so many bytes has left that is there at `time`.
core::Femtoseconds MemoryModule::leaves_at(core::Femtoseconds time, std::uint64_t bytes) {
  if (fs_per_byte_ == 0) return time;
  port_free_ = std::max(port_free_, time) +
               static_cast<core::Femtoseconds>(fs_per_byte_ * static_cast<double>(bytes));
  return port_free_;
}

void MemoryModule::step() {
  const core::Femtoseconds now = now_fs();
  wake_at_ = core::kNever;
  if (now + look_ahead_ > origin_) port_->run_ahead(now - origin_ + look_ahead_);
  events_.clear();
  port_->take_admitted(events_);
  for (const core::MemoryEvent& event : events_) {
    Source& from = sources_[event.source];
    from.waiting[from.known++] = event.time + origin_;
  }
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    grant(static_cast<int>(source));
  }
  for (const core::MemoryEvent& event : events_) {
    Held& taken = held(event);
    if (taken.payload->is_write()) answer(taken, event.time + origin_);
  }
  events_.clear();
  port_->take_completed(events_);
  for (const core::MemoryEvent& event : events_) {
    Held& done = held(event);
    const core::Femtoseconds time = event.time + origin_;
    if (done.payload == nullptr) {
      written_until_ = std::max(written_until_, time);
    } else {
      answer(done, leaves_at(time, done.payload->get_data_length()));
    }
    free_slots_.push_back(event.id & ((std::uint64_t{1} << kSlotBits) - 1));
  }
  const core::Femtoseconds next = port_->next_event();
  if (next != core::kNever) wake_no_later_than(std::max(now + 1, next + origin_));
}

void MemoryModule::wake_no_later_than(core::Femtoseconds time) {
  if (wake_at_ <= time) return;
  wake_at_ = time;
  wake_.notify(to_sc_time(time - now_fs()));  // zero delay: the next delta, never immediate
}

}  // namespace ridgepoint::soc
