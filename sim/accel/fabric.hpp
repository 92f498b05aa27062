// SPDX-License-Identifier: Apache-2.0
// What a core needs of the world around it: where addresses live, a way to send pieces there, and
// signals to the other cores. sim/soc implements it with TLM sockets.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/memory_port.hpp"
#include "sim/isa/view.hpp"

namespace ridgepoint::accel {

// A contiguous range of one memory port's own address space.
struct Piece {
  std::uint32_t port = 0;
  std::uint32_t bytes = 0;
  std::uint64_t address = 0;
};

class Fabric {
 public:
  virtual ~Fabric() = default;

  // Cuts a segment into pieces of at most AcceleratorConfig::piece_bytes. Throws InputError when
  // the segment lies outside the memory.
  virtual void split(isa::Space space, const isa::Segment& segment, bool is_write,
                     std::vector<Piece>& out) = 0;

  // Sends a piece that leaves the core at `departure`; it arrives one request latency later.
  // Returns false when the port has no room for another piece of this core until a credit comes
  // back through Core::on_credit.
  virtual bool send(const Piece& piece, const core::MemoryRequest& request,
                    core::Femtoseconds departure) = 0;

  // A kernel's cross-core token `slot` is done at `time`; every core sees it a sync latency later.
  virtual void publish(std::uint32_t slot, core::Femtoseconds time) = 0;
};

}  // namespace ridgepoint::accel
