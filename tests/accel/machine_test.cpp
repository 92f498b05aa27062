// SPDX-License-Identifier: Apache-2.0
// The machine cycle by cycle: latencies composed of named parts, engines that overlap, reasons that
// sum, back-pressure, and errors that come out as what they are.
#include "sim/soc/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "sim/accel/core.hpp"
#include "sim/core/error.hpp"
#include "sim/soc/core_turns.hpp"
#include "tests/kernels/machines.hpp"

namespace ridgepoint::soc {
namespace {

using isa::CorePort;
using isa::Token;
using test_machines::fp32_rows;
using test_machines::kernel_of;

isa::Program one_load(CorePort& core) {
  if (core.index() == 0) core.load(core.tile(1, 8, core::DType::kFp32), fp32_rows(0, 1, 8));
  co_return;
}

TEST(Machine, AnUnloadedReadIsTheSumOfItsParts) {
  const MachineConfig config = test_machines::small_machine();

  Machine machine(config);
  machine.reset_memory();
  const Activity activity = machine.run(kernel_of(one_load), false);
  const core::Clock& clock = machine.clock();
  const core::Femtoseconds ns = core::kFsPerNs;
  // The same 32 bytes at the channel alone, arriving when the fabric brings them.
  const core::Cycle start = clock.first_cycle_at_or_after(config.accel.launch_ns * ns);
  core::MemoryRequest request;
  request.bytes = 32;
  request.arrival = clock.time_of(start) + config.accel.request_latency_ns * ns;
  const auto channel = dram::make_channel(config.hbm, 0);
  channel->submit(request);
  channel->advance(request.arrival + 1000 * ns);
  std::vector<core::MemoryEvent> done;
  channel->take_completed(done);
  ASSERT_EQ(done.size(), 1u);
  const core::Cycle back =
      clock.first_cycle_at_or_after(done[0].time + config.accel.response_latency_ns * ns);
  const core::Cycle port = 1;  // 32 bytes through a 64-byte port
  EXPECT_EQ(activity.cycles, back + port);
}

isa::MatrixOp product() {
  isa::MatrixOp op;
  op.m = 40;
  op.n = 32;
  op.k = 48;
  return op;
}

// `count` products, beside or after so many cycles of the vector engine.
isa::Program matrices(CorePort& core, int count, std::int64_t elements = 0, bool after = false) {
  if (core.index() != 0) co_return;
  isa::Deps deps;
  if (elements > 0) {
    const isa::Token waited = core.vector({elements, 1}, {}, [] {});
    if (after) deps.add(waited);
  }
  isa::MatrixOp op = product();
  op.acc = core.accumulator(40, 32);
  op.a = core.tile(40, 48, core::DType::kFp16);
  op.b = core.tile(32, 48, core::DType::kFp16);
  for (int i = 0; i < count; ++i) core.matrix(op, deps);
}

// The board's power allows the sustained rate, and some work ahead of it.
TEST(Machine, ThePeakRateLastsAsLongAsTheWorkAhead) {
  MachineConfig config = test_machines::small_machine();
  config.accel.sustained_ratio = 0.5;
  EXPECT_FALSE(accel::at_peak_rate(config.accel, 0, 100));
  config.accel.boost_ns = 1000;
  const core::Cycle boost = config.accel.clock_hz / 1'000'000;
  EXPECT_TRUE(accel::at_peak_rate(config.accel, boost - 1, 0));
  EXPECT_FALSE(accel::at_peak_rate(config.accel, boost, 0));
  EXPECT_FALSE(accel::at_peak_rate(config.accel, boost + 50, 100));
  EXPECT_TRUE(accel::at_peak_rate(config.accel, boost + 50, 102));

  const auto cycles_of = [&config](int count) {
    Machine machine(config);
    const Activity activity =
        machine.run(kernel_of([count](CorePort& core) { return matrices(core, count); }), false);
    return activity.cycles - activity.launch_cycles;
  };
  const accel::MatrixCycles peak = accel::matrix_cycles(config.accel, product(), true);
  const core::Cycle at_peak = boost / peak.occupancy;
  EXPECT_EQ(cycles_of(static_cast<int>(at_peak)), at_peak * peak.occupancy + peak.latency);
  const core::Cycle long_run = cycles_of(1000);  // half the peak rate but for what was ahead
  const core::Cycle expected = 2 * (1000 * peak.occupancy - boost);
  EXPECT_LT(std::abs(long_run - expected), 4 * peak.occupancy);
}

// Waiting earns no peak work, and beside the vector engine there is none.
TEST(Machine, ThePeakRateIsForAnArrayThatWorksAlone) {
  MachineConfig config = test_machines::small_machine();
  config.accel.sustained_ratio = 0.5;
  config.accel.boost_ns = 1000;
  const auto cycles_of = [&config](std::int64_t vector_cycles, bool after) {
    Machine machine(config);
    const std::int64_t elements = vector_cycles * config.accel.vector_lanes;
    const auto program = [elements, after](CorePort& core) {
      return matrices(core, 100, elements, after);
    };
    const Activity activity = machine.run(kernel_of(program), false);
    return activity.cycles - activity.launch_cycles;
  };
  EXPECT_EQ(cycles_of(100'001, true) - cycles_of(1, true), 100'000);
  const accel::MatrixCycles half = accel::matrix_cycles(config.accel, product());
  EXPECT_LT(cycles_of(0, false), 100 * half.occupancy);
  // The first one starts together with the vector engine.
  EXPECT_GT(cycles_of(99 * half.occupancy, false), 99 * half.occupancy + half.latency);
}

TEST(Machine, MatrixCommandsOverlapTheirPipeline) {
  const MachineConfig config = test_machines::small_machine();
  // 48/16 x 32/16 passes of max(40, 16) rows; fill and drain 16 + 16.
  isa::MatrixOp op;
  op.m = 40;
  op.n = 32;
  op.k = 48;
  const accel::MatrixCycles one = accel::matrix_cycles(config.accel, op);
  EXPECT_EQ(one.occupancy, 3 * 2 * 40);
  EXPECT_EQ(one.latency, 32);
  op.m = 1;  // the weights' shift bounds a pass
  EXPECT_EQ(accel::matrix_cycles(config.accel, op).occupancy, 3 * 2 * 16);
  op.dtype = core::DType::kFp8;
  EXPECT_EQ(accel::matrix_cycles(config.accel, op).occupancy, 3 * 2 * 16 / 2);
  op.slowdown = 4;
  EXPECT_EQ(accel::matrix_cycles(config.accel, op).occupancy, 4 * 3 * 2 * 16 / 2);
  op.on_lanes = true;  // a multiplication per lane and cycle, whatever the format
  EXPECT_EQ(accel::matrix_cycles(config.accel, op).occupancy, 4 * 32 * 48 / 16);
  EXPECT_EQ(accel::vector_cycles(config.accel, {.elements = 160, .passes = 3, .slowdown = 2}),
            2 * 160 * 3 / 16);

  Machine machine(config);
  machine.reset_memory();
  const Activity three =
      machine.run(kernel_of([](CorePort& core) { return matrices(core, 3); }), false);
  EXPECT_EQ(three.cycles, three.launch_cycles + 3 * one.occupancy + one.latency);
  EXPECT_EQ(three.stalls[1][probe::Stall::kBusy], 3 * one.occupancy);
}

isa::Program chain(CorePort& core) {
  const isa::Tile in = core.tile(16, 16, core::DType::kFp32);
  const isa::Tile acc = core.accumulator(16, 16);
  const auto base = static_cast<std::uint64_t>(core.index()) * 65536;
  isa::MatrixOp op{acc, in, in, 16, 16, 16, false, false, core::DType::kFp32};
  const Token loaded = core.load(in, fp32_rows(base, 16, 16));
  const Token product = core.matrix(op, {loaded});
  const Token scaled = core.vector({256, 1}, {product}, [] {});
  core.store(fp32_rows(base + 4096, 16, 16), acc, {scaled});
  co_return;
}

TEST(Machine, EveryCycleHasOneReason) {
  const MachineConfig config = test_machines::small_machine();
  Machine machine(config);
  const Activity activity = machine.run(kernel_of(chain), false);
  for (const probe::StallCycles& stalls : activity.stalls) {
    EXPECT_EQ(stalls.total(), activity.cycles * config.accel.cores);
  }
  const auto reason = [&](isa::Engine engine, probe::Stall stall) {
    return activity.stalls[static_cast<std::size_t>(engine)][stall];
  };
  EXPECT_GT(reason(isa::Engine::kMatrix, probe::Stall::kWaitLoad), 0);
  EXPECT_GT(reason(isa::Engine::kVector, probe::Stall::kWaitMatrix), 0);
  EXPECT_GT(reason(isa::Engine::kStore, probe::Stall::kWaitVector), 0);
  EXPECT_EQ(reason(isa::Engine::kLoad, probe::Stall::kLaunch),
            activity.launch_cycles * config.accel.cores);
}

isa::Program stream(CorePort& core) {
  isa::Ring ring(core, 4, 1, 4096, core::DType::kFp32);
  for (std::int64_t i = 0; i < 16; ++i) {
    const Token busy = ring.busy(i);
    co_await isa::until(core, busy);
    const auto at = static_cast<std::uint64_t>(i * core.count() + core.index()) * 16384;
    ring.used(i, core.load(ring.tile(i), fp32_rows(at, 1, 4096)));
  }
}

TEST(Machine, FewCreditsMeanBackPressureNotLostBytes) {
  MachineConfig config = test_machines::small_machine();
  config.accel.piece_bytes = 256;
  std::int64_t cycles[2];
  for (const std::int64_t credits : {1, 64}) {
    config.accel.credits = credits;
    Machine machine(config);
    const Activity activity = machine.run(kernel_of(stream), false);
    std::int64_t bytes = 0;
    for (const std::int64_t part : activity.hbm.read_useful_bytes) bytes += part;
    EXPECT_EQ(bytes, 16 * 16384 * config.accel.cores);
    cycles[credits > 1] = activity.cycles;
    const double seconds = static_cast<double>(activity.cycles) / machine.clock().hertz();
    EXPECT_GE(seconds, static_cast<double>(bytes) / machine.hbm_peak_bytes_per_s());
  }
  EXPECT_GT(cycles[0], 2 * cycles[1]);
}

isa::Program waits_for_nobody(CorePort& core) {
  const Token never = core.shared_token(3);
  co_await isa::until(core, never);
}

TEST(Machine, ADeadlockIsReportedNotWaitedFor) {
  Machine machine(test_machines::small_machine());
  try {
    machine.run(kernel_of(waits_for_nobody), false);
    FAIL() << "returned";
  } catch (const core::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("deadlock"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("core 0"), std::string::npos);
  }
}

isa::Program too_large(CorePort& core) {
  core.tile(1 << 20, 1 << 10, core::DType::kFp16);
  co_return;
}

isa::Program outside(CorePort& core) {
  core.load(core.tile(1, 8, core::DType::kFp32), fp32_rows(std::uint64_t{1} << 60, 1, 8));
  co_return;
}

TEST(Machine, WhatAKernelThrowsKeepsItsType) {
  Machine machine(test_machines::small_machine());
  EXPECT_THROW(machine.run(kernel_of(too_large), false), core::InputError);
}

TEST(Machine, AddressesOutsideTheMemoryAreErrors) {
  Machine machine(test_machines::small_machine());
  EXPECT_THROW(machine.run(kernel_of(outside), false), core::SimulationError);
}

isa::Program sender(CorePort& core) {
  if (core.index() == 0) {
    const Token loaded = core.load(core.tile(1, 8, core::DType::kFp32), fp32_rows(0, 1, 8));
    core.publish(0, loaded);
    co_return;
  }
  const Token seen = core.shared_token(0);
  co_await isa::until(core, seen);
  core.vector({1, 1}, {}, [] {});
}

TEST(Machine, ATokenReachesOtherCoresOneSyncLatencyLater) {
  const MachineConfig config = test_machines::small_machine();
  Machine machine(config);
  machine.reset_memory();
  const core::Cycle alone = machine.run(kernel_of(one_load), false).cycles;
  machine.reset_memory();
  const core::Cycle with_signal = machine.run(kernel_of(sender), false).cycles;
  const core::Cycle sync =
      machine.clock().first_cycle_at_or_after(config.accel.sync_latency_ns * core::kFsPerNs);
  EXPECT_EQ(with_signal, alone + sync + 1);  // one cycle of vector work
}

TEST(Machine, ResetMakesARunForgetWhatRanBefore) {
  Machine machine(test_machines::small_machine());
  machine.reset_memory();
  const Activity first = machine.run(kernel_of(stream), false);
  machine.run(kernel_of(chain), false);
  machine.reset_memory();
  const Activity again = machine.run(kernel_of(stream), false);
  EXPECT_EQ(again.cycles, first.cycles);
  EXPECT_EQ(again.stalls, first.stalls);
  EXPECT_TRUE(again.hbm == first.hbm);
}

TEST(Machine, ResetMayKeepWhatTheCacheHolds) {
  MachineConfig config = test_machines::small_machine();
  config.accel.shared_is_cache = true;
  config.accel.shared_bytes = 4 << 20;  // of which the stream takes one
  Machine machine(config);
  const auto pin_bytes = [&machine](bool keep_cache) {
    machine.reset_memory(keep_cache);
    const auto read = machine.run(kernel_of(stream), false).hbm.read_pin_bytes;
    return std::accumulate(read.begin(), read.end(), std::int64_t{0});
  };
  const std::int64_t fresh = pin_bytes(false);
  EXPECT_GT(fresh, 0);
  EXPECT_EQ(pin_bytes(true), 0);
  EXPECT_EQ(pin_bytes(false), fresh);
}

// Whatever the order in which they were asked for: a cache's directory that cores share must see
// them in one order.
TEST(CoreTurns, ComeByTimeAndThenByNumber) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  std::vector<std::size_t> order;
  {
    CoreTurns turns("turns");
    turns.on_turn = [&](std::size_t core) {
      order.push_back(core);
      if (core == 7) turns.wake(6, now_fs());  // within its turn, for the same time
    };
    const core::Femtoseconds ns = core::kFsPerNs;
    for (const std::size_t core : {3, 1, 7, 2}) turns.wake(core, 5 * ns);
    turns.wake(9, 4 * ns);
    turns.wake(0, 5 * ns);
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
  }
  sc_core::sc_get_curr_simcontext()->reset();
  EXPECT_EQ(order, (std::vector<std::size_t>{9, 0, 1, 2, 3, 7, 6}));
}

TEST(Config, ConflictsNameTheKeyAndWhatWouldWork) {
  accel::AcceleratorConfig config;
  config.sync_latency_ns = config.response_latency_ns - 1;
  try {
    config.validate();
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("fabric.sync_latency_ns"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("accepted: 120 or more"), std::string::npos);
  }
}

}  // namespace
}  // namespace ridgepoint::soc
