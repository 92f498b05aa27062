// SPDX-License-Identifier: Apache-2.0
// The whole accelerator on SystemC: cores, shared memory and HBM channels, elaborated once per
// process (a second machine may be built after the first is destroyed). Kernels run one after the
// other, each from the host's launch to the last core's last store.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/accel/config.hpp"
#include "sim/core/memory_port.hpp"
#include "sim/dram/channel.hpp"
#include "sim/isa/kernel.hpp"
#include "sim/probe/stall.hpp"

namespace ridgepoint::soc {

class Recorder;

struct MachineConfig {
  std::string name = "custom";
  accel::AcceleratorConfig accel;
  dram::Config hbm;
};

// What one or more kernels did. Times in cycles of the core clock; stalls summed over cores, so
// each engine's reasons sum to cores * cycles.
struct Activity {
  core::Cycle cycles = 0;         // launch cost included
  core::Cycle launch_cycles = 0;  // of which: host launch cost
  std::array<probe::StallCycles, isa::kEngines> stalls{};
  std::array<std::uint64_t, isa::kEngines> commands{};
  double matrix_flops = 0;
  double vector_elements = 0;
  std::uint64_t shared_bytes = 0;
  dram::ChannelStats hbm;  // summed over channels, counted at the pins

  Activity& operator+=(const Activity& other);
  Activity& operator-=(const Activity& other);
  friend bool operator==(const Activity&, const Activity&) = default;
};

class Machine {
 public:
  // Throws core::InputError for a configuration that makes no sense.
  explicit Machine(const MachineConfig& config);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const MachineConfig& config() const;
  std::int64_t channels() const;
  std::uint64_t hbm_bytes() const;      // capacity
  double hbm_peak_bytes_per_s() const;  // all channels, from the pins
  const core::Clock& clock() const;

  // As accel::require_room().
  void require_room(std::span<const isa::Kernel> kernels) const;

  // Runs one kernel to its end. With `values`, commands compute on the attached tensors; cycles do
  // not depend on it. Throws SimulationError with every engine's reason when nothing can go on.
  Activity run(const isa::Kernel& kernel, bool values);

  // The next kernel finds memory as new (rows closed, half a refresh interval since the last
  // refresh) and starts at a fixed offset from a whole microsecond: what it takes does not depend
  // on what ran before, but for what a cache that is kept holds.
  void reset_memory(bool keep_cache = false);

  // What the recorder selects is drawn from now on; once, before the first kernel. The recorder
  // outlives the machine's last run.
  void record(Recorder& recorder);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ridgepoint::soc
