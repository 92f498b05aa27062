// SPDX-License-Identifier: Apache-2.0
// Writes are posted: the one who stores goes on when the controller has the data, and a kernel ends
// when memory has it.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/soc/machine.hpp"
#include "tests/kernels/machines.hpp"

namespace ridgepoint::soc {
namespace {

using isa::CorePort;
using isa::Token;
using test_machines::fp32_rows;
using test_machines::kernel_of;

constexpr std::int64_t kElements = 16;
constexpr std::uint64_t kStored = std::uint64_t{1} << 24;

isa::Program store_once(CorePort& core) {
  if (core.index() == 0) {
    core.store(fp32_rows(kStored, 1, kElements), core.tile(1, kElements, core::DType::kFp32));
  }
  co_return;
}

// Core 0 stores, and then uses its vector engine for as long as all cores read.
isa::Program store_among_reads(CorePort& core, std::int64_t vector_elements) {
  if (core.index() == 0) {
    const Token stored =
        core.store(fp32_rows(kStored, 1, kElements), core.tile(1, kElements, core::DType::kFp32));
    if (vector_elements > 0) core.vector({vector_elements, 1}, {stored}, [] {});
  }
  isa::Ring ring(core, 4, 1, 4096, core::DType::kFp32);
  for (std::int64_t i = 0; i < 64; ++i) {
    const Token busy = ring.busy(i);
    co_await isa::until(core, busy);
    const auto at = static_cast<std::uint64_t>(i * core.count() + core.index()) * 16384;
    ring.used(i, core.load(ring.tile(i), fp32_rows(at, 1, 4096)));
  }
}

std::int64_t written(const Activity& activity) {
  const auto& bytes = activity.hbm.write_useful_bytes;
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

TEST(PostedWrites, WhoStoresDoesNotWaitForTheReadsOfOthers) {
  const MachineConfig config = test_machines::small_machine();
  const auto run = [&config](std::int64_t elements) {
    Machine machine(config);
    const Activity activity = machine.run(
        kernel_of([elements](CorePort& core) { return store_among_reads(core, elements); }), false);
    EXPECT_EQ(written(activity), kElements * 4);
    return activity.cycles - activity.launch_cycles;
  };
  const core::Cycle reads = run(0);
  const core::Cycle beside = run((reads - 1000) * config.accel.vector_lanes);
  EXPECT_LT(beside, reads + reads / 50);
}

// The same write at the channel alone.
TEST(PostedWrites, AKernelEndsWhenItsLastWriteIsInMemory) {
  MachineConfig config = test_machines::small_machine();
  config.hbm.interleave_hash = false;
  Machine machine(config);
  machine.reset_memory();
  const Activity activity = machine.run(kernel_of(store_once), false);
  EXPECT_EQ(written(activity), kElements * 4);

  const core::Clock& clock = machine.clock();
  const core::Femtoseconds ns = core::kFsPerNs;
  const core::Cycle start = clock.first_cycle_at_or_after(config.accel.launch_ns * ns);
  core::MemoryRequest request;
  request.bytes = kElements * 4;
  request.is_write = true;
  request.arrival = clock.time_of(start) + config.accel.request_latency_ns * ns;
  const auto channel = dram::make_channel(config.hbm, 0);
  channel->submit(request);
  channel->advance(request.arrival + 1000 * ns);
  std::vector<core::MemoryEvent> done;
  channel->take_completed(done);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(activity.cycles,
            clock.first_cycle_at_or_after(done[0].time + config.accel.response_latency_ns * ns));
}

// Without a pause between kernels the next one finds the write done, too.
TEST(PostedWrites, KernelsMayFollowAtOnce) {
  MachineConfig config = test_machines::small_machine();
  config.accel.launch_ns = 0;
  Machine machine(config);
  core::Cycle first = 0;
  for (int i = 0; i < 3; ++i) {
    const Activity activity =
        machine.run(kernel_of([](CorePort& core) { return store_among_reads(core, 1); }), false);
    EXPECT_EQ(written(activity), kElements * 4);
    if (i == 0) first = activity.cycles;
    EXPECT_NEAR(static_cast<double>(activity.cycles), static_cast<double>(first), 0.02 * first);
  }
}

}  // namespace
}  // namespace ridgepoint::soc
