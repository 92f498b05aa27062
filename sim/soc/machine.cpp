// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/machine.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <systemc>

#include "sim/accel/cache_directory.hpp"
#include "sim/accel/shared_memory.hpp"
#include "sim/core/error.hpp"
#include "sim/dram/interleave.hpp"
#include "sim/soc/core_module.hpp"
#include "sim/soc/memory_module.hpp"
#include "sim/soc/recorder.hpp"

namespace ridgepoint::soc {
namespace {

constexpr std::uint32_t kHitPieces = 4;  // pieces of what a cache holds that travel as one

// Femtoseconds must be set before the first module or time exists.
int prepare_systemc() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return 0;
}

// Lets a process build another machine (Debian's 2.3.4 frees the context; swapping would leak).
void renew_systemc() { sc_core::sc_get_curr_simcontext()->reset(); }

}  // namespace

struct Machine::Parts {
  MachineConfig config;
  std::shared_ptr<const dram::Spec> spec;
  dram::Interleave interleave;
  int prepared = prepare_systemc();
  PayloadPool pool;
  Splitter splitter;
  std::deque<MemoryModule> memories;  // HBM channels, then the shared memory
  CoreTurns turns{"turns"};
  std::deque<CoreModule> cores;
  std::vector<dram::Piece> split_pieces;
  std::size_t running = 0;  // cores that have not finished the kernel
  core::Cycle end = 0;      // of the last kernel
  bool memory_is_stale = false;
  bool cache_is_kept = false;
  std::exception_ptr error;  // thrown by a kernel
  Recorder* recorder = nullptr;
  std::optional<accel::CacheDirectory> cache;  // of HBM, in the shared memory

  explicit Parts(const MachineConfig& machine);
  void split(isa::Space space, const isa::Segment& segment, bool is_write,
             std::vector<accel::Piece>& out);
  void split_hbm(std::uint64_t address, std::uint64_t bytes, std::vector<accel::Piece>& out);
  void cut(std::uint32_t port, std::uint64_t address, std::uint64_t bytes,
           std::vector<accel::Piece>& out) const;
  void read_cached(const isa::Segment& segment, std::vector<accel::Piece>& out);
  std::unique_ptr<core::MemoryPort> new_port(std::size_t index);
  Activity total();
  void simulate();
  core::Cycle finish();
  void renew_memory();
  void record_channels();
  std::string deadlock_report();
};

Machine::Parts::Parts(const MachineConfig& machine)
    : config(machine),
      spec(std::make_shared<const dram::Spec>(dram::resolve(machine.hbm))),
      interleave(*spec) {
  config.accel.validate();
  splitter = [this](isa::Space space, const isa::Segment& segment, bool is_write,
                    std::vector<accel::Piece>& out) { split(space, segment, is_write, out); };
  if (config.accel.shared_is_cache) cache.emplace(config.accel.shared_bytes);
  turns.on_turn = [this](std::size_t core) { cores[core].take_turn(); };
  const auto channels = static_cast<std::size_t>(spec->channels);
  const core::Femtoseconds look_ahead = config.accel.request_latency_ns * core::kFsPerNs;
  for (std::size_t i = 0; i <= channels; ++i) {
    const std::string name = i < channels ? "channel_" + std::to_string(i) : "shared";
    // The shared memory is as many banks wide as there are channels.
    const std::int64_t credits =
        config.accel.credits * (i < channels ? 1 : static_cast<std::int64_t>(channels));
    memories.emplace_back(name.c_str(), new_port(i), look_ahead, credits,
                          i < channels ? config.accel.channel_gb_per_s : 0);
  }
  for (std::int64_t i = 0; i < config.accel.cores; ++i) {
    cores.emplace_back(("core_" + std::to_string(i)).c_str(), config.accel, i, splitter, pool,
                       turns);
    CoreModule& core = cores.back();
    for (MemoryModule& memory : memories) core.socket.bind(memory.socket);
    core.on_finished = [this] {
      if (--running == 0) sc_core::sc_pause();
    };
    core.on_error = [this](std::exception_ptr thrown) {
      if (!error) error = std::move(thrown);
      sc_core::sc_pause();
    };
    core.on_publish = [this](std::uint32_t slot, core::Femtoseconds time) {
      const core::Femtoseconds seen = time + config.accel.sync_latency_ns * core::kFsPerNs;
      for (CoreModule& other : cores) other.receive_token(slot, seen);
    };
  }
}

// A memory as it is at first. Channels are alike, and share what never changes.
std::unique_ptr<core::MemoryPort> Machine::Parts::new_port(std::size_t index) {
  if (index >= static_cast<std::size_t>(spec->channels)) {
    return std::make_unique<accel::SharedMemory>(config.accel);
  }
  if (memories.empty()) return dram::make_channel(spec, 0);
  return static_cast<const dram::Channel&>(memories.front().port()).another();
}

void Machine::Parts::split(isa::Space space, const isa::Segment& segment, bool is_write,
                           std::vector<accel::Piece>& out) {
  const bool shared = space == isa::Space::kShared;
  const auto capacity =
      static_cast<std::uint64_t>(shared ? config.accel.shared_bytes : spec->total_bytes());
  if (segment.address + segment.bytes > capacity) {
    throw core::SimulationError("address range " + std::to_string(segment.address) + " + " +
                                std::to_string(segment.bytes) + " lies outside the " +
                                (shared ? "shared memory" : "HBM") + " of " +
                                std::to_string(capacity) + " bytes");
  }
  if (shared)
    return cut(static_cast<std::uint32_t>(spec->channels), segment.address, segment.bytes, out);
  if (cache && !is_write) return read_cached(segment, out);
  split_hbm(segment.address, segment.bytes, out);
}

void Machine::Parts::split_hbm(std::uint64_t address, std::uint64_t bytes,
                               std::vector<accel::Piece>& out) {
  split_pieces.clear();
  interleave.split(address, bytes, split_pieces);
  for (const dram::Piece& piece : split_pieces) {
    cut(static_cast<std::uint32_t>(piece.channel), piece.address, piece.bytes, out);
  }
}

void Machine::Parts::cut(std::uint32_t port, std::uint64_t address, std::uint64_t bytes,
                         std::vector<accel::Piece>& out) const {
  const auto largest = static_cast<std::uint64_t>(config.accel.piece_bytes);
  while (bytes > 0) {
    const std::uint64_t part = std::min(bytes, largest);
    out.push_back({port, static_cast<std::uint32_t>(part), address});
    address += part;
    bytes -= part;
  }
}

// What the cache holds comes from the shared memory's port, whole lines of the rest from HBM.
// Pieces of one command may join earlier ones there: the server only counts their bytes.
void Machine::Parts::read_cached(const isa::Segment& segment, std::vector<accel::Piece>& out) {
  const auto largest = static_cast<std::uint32_t>(config.accel.piece_bytes);
  const auto shared_port = static_cast<std::uint32_t>(spec->channels);
  const std::uint32_t most = kHitPieces * largest;
  const auto hit = [&](std::uint64_t bytes) {
    if (!out.empty() && out.back().port == shared_port && out.back().bytes < most) {
      const std::uint64_t more = std::min<std::uint64_t>(bytes, most - out.back().bytes);
      out.back().bytes += static_cast<std::uint32_t>(more);
      bytes -= more;
    }
    for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, most)) {
      const std::uint64_t part = std::min<std::uint64_t>(bytes, most);
      out.push_back({shared_port, static_cast<std::uint32_t>(part), 0});
    }
  };
  constexpr std::uint64_t kLine = accel::CacheDirectory::kLineBytes;
  const std::uint64_t last = segment.address + segment.bytes;
  for (std::uint64_t line = segment.address / kLine; line * kLine < last;) {
    const std::uint64_t first = line;
    const bool held = cache->read(line++);
    while (line * kLine < last && cache->holds(line) == held) cache->read(line++);
    if (held) {
      hit(std::min(last, line * kLine) - std::max(segment.address, first * kLine));
    } else {
      const std::uint64_t to =
          std::min(line * kLine, static_cast<std::uint64_t>(spec->total_bytes()));
      split_hbm(first * kLine, to - first * kLine, out);
    }
  }
}

Activity Machine::Parts::total() {
  Activity sum;
  for (CoreModule& module : cores) {
    const accel::CoreCounters& counters = module.core().counters();
    for (std::size_t e = 0; e < isa::kEngines; ++e) {
      sum.stalls[e] += counters.stalls[e];
      sum.commands[e] += counters.commands[e];
    }
    sum.matrix_flops += counters.matrix_flops;
    sum.vector_elements += counters.vector_elements;
  }
  for (std::size_t i = 0; i + 1 < memories.size(); ++i) {
    sum.hbm += static_cast<const dram::Channel&>(memories[i].port()).stats();
  }
  const auto& shared = static_cast<const accel::SharedMemory&>(memories.back().port()).counters();
  sum.shared_bytes = shared.read_bytes + shared.write_bytes;
  return sum;
}

void Machine::Parts::simulate() {
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    throw core::SimulationError(report.get_msg());
  }
  if (error) std::rethrow_exception(error);
  if (running != 0) throw core::SimulationError(deadlock_report());
}

// The kernel's end: what the cores have written is in memory, as the last of them would hear.
core::Cycle Machine::Parts::finish() {
  const auto writes = [](const MemoryModule& memory) { return memory.in_flight() > 0; };
  if (std::any_of(memories.begin(), memories.end(), writes)) simulate();
  core::Femtoseconds written = 0;
  for (const MemoryModule& memory : memories) written = std::max(written, memory.written_until());
  const core::Femtoseconds heard = written + config.accel.response_latency_ns * core::kFsPerNs;
  core::Cycle last = cores.front().core().clock().first_cycle_at_or_after(heard);
  for (CoreModule& module : cores) last = std::max(last, module.core().end());
  return last;
}

std::string Machine::Parts::deadlock_report() {
  std::string text = "deadlock: nothing can happen any more";
  for (CoreModule& module : cores) {
    if (!module.core().finished()) text += "\n  " + module.core().describe();
  }
  return text;
}

// Whether it was built or not, the process can build another.
Machine::Machine(const MachineConfig& config) try : parts_(std::make_unique<Parts>(config)) {
} catch (...) {
  renew_systemc();
}

Machine::~Machine() {
  parts_.reset();
  renew_systemc();
}

const MachineConfig& Machine::config() const { return parts_->config; }
std::int64_t Machine::channels() const { return parts_->spec->channels; }
std::uint64_t Machine::hbm_bytes() const {
  return static_cast<std::uint64_t>(parts_->spec->total_bytes());
}
double Machine::hbm_peak_bytes_per_s() const { return parts_->spec->peak_gb_per_s * 1e9; }
const core::Clock& Machine::clock() const { return parts_->cores.front().core().clock(); }

// Fresh memories for a kernel that starts one launch after a whole microsecond: a time that every
// clock of whole kilohertz shares, so that what follows is the same to the femtosecond wherever it
// starts. Their refresh is half an interval old when the kernel starts: over kernels of all lengths
// the refreshes seen are then, on average, neither too few nor too many.
void Machine::Parts::renew_memory() {
  const core::Clock& clock = cores.front().core().clock();
  const core::Femtoseconds microsecond = 1000 * core::kFsPerNs;
  const core::Femtoseconds launch = config.accel.launch_ns * core::kFsPerNs;
  const core::Femtoseconds interval = spec->tick_clock.time_of(spec->timing("tREFI"));
  core::Femtoseconds age = interval / 2;
  while (age < launch) age += interval;
  const core::Femtoseconds now = std::max(now_fs(), clock.time_of(end));
  const core::Femtoseconds previous = ((now + age - launch) / microsecond + 2) * microsecond;
  const core::Cycle old_end = end;
  end = clock.first_cycle_at_or_after(previous);
  for (CoreModule& module : cores) module.core().skip_to(end);
  for (std::size_t i = 0; i < memories.size(); ++i) {
    memories[i].replace_port(new_port(i), previous + launch - age);
    memories[i].settle(clock.time_of(end));
  }
  if (recorder != nullptr) {
    recorder->on_skip(clock.time_of(old_end), clock.time_of(end));
    record_channels();
  }
  if (cache && !cache_is_kept) cache->clear();
  memory_is_stale = cache_is_kept = false;
}

void Machine::require_room(std::span<const isa::Kernel> kernels) const {
  accel::require_room(parts_->config.name, parts_->config.accel.shape(), kernels);
}

Activity Machine::run(const isa::Kernel& kernel, bool values) {
  Parts& parts = *parts_;
  require_room({&kernel, 1});
  if (parts.memory_is_stale) parts.renew_memory();
  const Activity before = parts.total();
  const core::Cycle previous = parts.end;
  const accel::AcceleratorConfig& accel = parts.config.accel;
  const core::Femtoseconds launch =
      (accel.launch_ns + (kernel.family == "attention" ? accel.attention_setup_ns : 0)) *
      core::kFsPerNs;
  const core::Cycle start = clock().first_cycle_at_or_after(clock().time_of(previous) + launch);
  parts.running = parts.cores.size();
  for (CoreModule& module : parts.cores) {
    module.core().close_kernel(previous, start);
    module.launch(kernel.program(module.core()), start, values);
  }
  try {
    parts.simulate();
  } catch (const core::InputError& error) {  // a machine that this kernel cannot run on
    throw core::InputError("kernel '" + kernel.name + "': " + error.what());
  }
  parts.end = std::max(start, parts.finish());
  for (CoreModule& module : parts.cores) module.core().close_kernel(parts.end, parts.end);
  for (MemoryModule& memory : parts.memories) memory.settle(clock().time_of(parts.end));
  Activity activity = parts.total();
  activity -= before;
  activity.cycles = parts.end - previous;
  activity.launch_cycles = start - previous;
  if (parts.recorder != nullptr) {
    parts.recorder->on_kernel(kernel.name, clock().time_of(previous), clock().time_of(start),
                              clock().time_of(parts.end));
  }
  return activity;
}

void Machine::Parts::record_channels() {
  for (std::size_t i = 0; i + 1 < memories.size(); ++i) {
    const auto channel = static_cast<std::int64_t>(i);
    if (!recorder->draws_channel(channel)) continue;
    const core::Femtoseconds origin = memories[i].origin();
    static_cast<dram::Channel&>(memories[i].port())
        .observe([to = recorder, channel, origin](const dram::IssuedCommand& command) {
          to->on_dram(channel, command, origin);
        });
  }
}

void Machine::record(Recorder& recorder) {
  Parts& parts = *parts_;
  parts.recorder = &recorder;
  recorder.begin(clock(), parts.spec);
  parts.record_channels();
  for (std::size_t i = 0; i < parts.cores.size(); ++i) {
    if (recorder.draws_core(static_cast<std::int64_t>(i))) parts.cores[i].core().observe(&recorder);
  }
}

void Machine::reset_memory(bool keep_cache) {
  parts_->memory_is_stale = true;
  parts_->cache_is_kept = keep_cache;
}

}  // namespace ridgepoint::soc
