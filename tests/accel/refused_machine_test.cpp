// SPDX-License-Identifier: Apache-2.0
// Machines that are refused, and kernels that a machine refuses: what comes after them runs.
#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "sim/soc/machine.hpp"
#include "tests/kernels/machines.hpp"

namespace ridgepoint::soc {
namespace {

isa::Program load_a_row(isa::CorePort& core) {
  isa::View view;
  view.rows = 1;
  view.cols = 64;
  view.row_bytes = 128;
  core.load(core.tile(1, 64, core::DType::kFp16), view);
  co_return;
}

isa::Kernel one_load() {
  isa::Kernel kernel;
  kernel.program = load_a_row;
  return kernel;
}

TEST(RefusedMachine, AnotherOneRunsAfterARefusedOne) {
  const auto cycles = [] {
    Machine machine(test_machines::small_machine());
    return machine.run(one_load(), false).cycles;
  };
  const core::Cycle alone = cycles();
  soc::MachineConfig no_cores = test_machines::small_machine();
  no_cores.accel.cores = 0;  // refused when a module of it stands already
  EXPECT_THROW(Machine{no_cores}, core::InputError);
  EXPECT_EQ(cycles(), alone);
  soc::MachineConfig no_channels = test_machines::small_machine();
  no_channels.hbm.channels_per_stack = -1;
  EXPECT_THROW(Machine{no_channels}, core::InputError);
  EXPECT_EQ(cycles(), alone);
}

TEST(RefusedMachine, AKernelWithoutRoomIsRefusedBeforeItRuns) {
  Machine machine(test_machines::small_machine());
  isa::Kernel kernel = one_load();
  kernel.least = {0, 65 * 1024};
  kernel.name = "large";
  try {
    machine.run(kernel, false);
    ADD_FAILURE() << "no error";
  } catch (const core::InputError& error) {
    for (const char* part : {"machine 'small'", "kernel 'large'", "core.accumulator_kib (64 KiB)",
                             "core.scratchpad_kib (256 KiB)", "core.accumulator_kib 65 KiB or"}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  kernel.least = {};
  EXPECT_GT(machine.run(kernel, false).cycles, 0);
}

}  // namespace
}  // namespace ridgepoint::soc
