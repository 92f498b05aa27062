// SPDX-License-Identifier: Apache-2.0
// Your own memory behind a Ridgepoint core: any TLM-2.0 target that speaks nb_transport can be
// bound to soc::CoreModule, which sends one transaction per DMA piece. Here it is a single port of
// fixed latency and bandwidth. Prints how long a kernel takes on it.
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdio>
#include <systemc>

#include "sim/isa/core_port.hpp"
#include "sim/soc/core_module.hpp"

namespace {

namespace accel = ridgepoint::accel;
namespace core = ridgepoint::core;
namespace isa = ridgepoint::isa;
namespace soc = ridgepoint::soc;

class OwnMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<OwnMemory> socket{"socket"};

  OwnMemory(const sc_core::sc_module_name& name, sc_core::sc_time latency, double bytes_per_ns)
      : sc_module(name), latency_(latency), bytes_per_ns_(bytes_per_ns) {
    socket.register_nb_transport_fw(this, &OwnMemory::transport);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // Completes at once, with the delay that the transfer takes after those before it.
  tlm::tlm_sync_enum transport(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                               sc_core::sc_time& delay) {
    const sc_core::sc_time arrival = sc_core::sc_time_stamp() + delay;
    const sc_core::sc_time length(payload.get_data_length() / bytes_per_ns_, sc_core::SC_NS);
    free_at_ = std::max(free_at_, arrival) + length;
    bytes_ += payload.get_data_length();
    delay = free_at_ + latency_ - sc_core::sc_time_stamp();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }

  sc_core::sc_time latency_;
  double bytes_per_ns_;
  sc_core::sc_time free_at_;
  std::uint64_t bytes_ = 0;
};

// Reads 64 tiles of [64, 64] fp16 into two slots in turn.
isa::Program stream(isa::CorePort& port) {
  isa::Ring ring(port, 2, 64, 64, core::DType::kFp16);
  for (int i = 0; i < 64; ++i) {
    isa::View view;
    view.dtype = core::DType::kFp16;
    view.rows = 64;
    view.cols = 64;
    view.row_bytes = 64 * 2;
    view.address = static_cast<std::uint64_t>(i) * 64 * 64 * 2;
    const isa::Token busy = ring.busy(i);
    co_await isa::until(port, busy);
    ring.used(i, port.load(ring.tile(i), view));
  }
}

}  // namespace

extern "C" int sc_main(int, char**) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  accel::AcceleratorConfig config;
  config.cores = 1;
  soc::PayloadPool pool;
  const soc::Splitter splitter = [&](isa::Space, const isa::Segment& segment, bool,
                                     std::vector<accel::Piece>& pieces) {
    for (std::uint64_t at = 0; at < segment.bytes; at += 4096) {
      const auto bytes =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(4096, segment.bytes - at));
      pieces.push_back({0, bytes, segment.address + at});
    }
  };
  soc::CoreTurns turns("turns");
  soc::CoreModule module("core", config, 0, splitter, pool, turns);
  turns.on_turn = [&module](std::size_t) { module.take_turn(); };
  OwnMemory memory("memory", sc_core::sc_time(100, sc_core::SC_NS), 256.0);
  module.socket.bind(memory.socket);
  module.on_publish = [](std::uint32_t, core::Femtoseconds) {};
  module.on_finished = [] { sc_core::sc_pause(); };
  module.on_error = [](std::exception_ptr error) { std::rethrow_exception(error); };
  module.launch(stream(module.core()), 0, false);
  sc_core::sc_start();
  const double ns = static_cast<double>(module.core().end()) * module.core().clock().period_ns();
  std::printf("bytes=%llu time_ns=%.1f\n", static_cast<unsigned long long>(memory.bytes()), ns);
  return module.core().finished() ? 0 : 1;
}
