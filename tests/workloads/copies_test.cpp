// SPDX-License-Identifier: Apache-2.0
// Kernels on copies of the machine, in other processes, that fail or are killed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>

#include "sim/core/error.hpp"
#include "sim/soc/machine_copies.hpp"
#include "workloads/step/runner.hpp"

namespace ridgepoint::workloads {
namespace {

soc::MachineConfig teaching() {
  soc::MachineConfig config;
  config.name = "teaching-80g";
  return config;
}

isa::Program ends() { co_return; }

// What the other processes lose, this one simulates; an error is the one that it meets itself.
TEST(Copies, MayFailAndNothingIsLost) {
  soc::Machine machine(teaching());
  const pid_t caller = ::getpid();
  isa::Kernel plain;
  plain.name = plain.key = "plain";
  plain.model_bytes = soc::kWorthACopy;
  plain.program = [](isa::CorePort&) { return ends(); };
  isa::Kernel dies = plain;
  dies.key = "dies";
  dies.program = [caller](isa::CorePort&) {
    if (::getpid() != caller) ::raise(SIGKILL);
    return ends();
  };
  isa::Kernel fails = plain;
  fails.key = "fails";
  fails.program = [](isa::CorePort&) -> isa::Program { throw core::InputError("not here"); };
  EXPECT_FALSE(soc::run_on_copies(machine, {&dies}, 2).front().has_value());
  EXPECT_FALSE(soc::run_on_copies(machine, {&fails}, 2).front().has_value());
  EXPECT_TRUE(soc::run_on_copies(machine, {}, 2).empty());
  const StepReport report = StepRunner(machine, true, 3).run({plain, dies, plain, dies}, false);
  const StepReport alone = StepRunner(machine, true).run({plain, dies, plain, dies}, false);
  EXPECT_EQ(report.total, alone.total);
  EXPECT_EQ(report.simulated_launches, alone.simulated_launches);
  StepRunner runner(machine, true, 3);
  EXPECT_THROW(runner.run({plain, fails}, false), core::InputError);
}

// A prepared step that fails, and one that is left out, leave their kernels to the next.
TEST(Copies, APreparedStepMayBeLeftOut) {
  soc::Machine machine(teaching());
  StepRunner runner(machine, true, 2);
  const auto kernel = [](const char* key) {
    isa::Kernel one;
    one.name = one.key = key;
    one.program = [](isa::CorePort&) { return ends(); };
    return one;
  };
  isa::Kernel fails = kernel("fails");
  fails.program = [](isa::CorePort&) -> isa::Program { throw core::InputError("not here"); };
  const std::vector<std::vector<isa::Kernel>> steps{
      {kernel("a"), fails}, {kernel("b")}, {kernel("c"), kernel("a"), kernel("b")}};
  runner.prepare(steps);
  EXPECT_THROW(runner.run(steps[0], false), core::InputError);
  const StepReport report = runner.run(steps[2], false);
  EXPECT_EQ(report.total.cycles, StepRunner(machine, true).run(steps[2], false).total.cycles);
}

// A worker that is killed while it writes more than a pipe holds: whole answers count, a piece of
// one does not.
TEST(Copies, APieceOfAnAnswerIsNone) {
  soc::Machine machine(teaching());
  constexpr std::size_t kOthers = 400;
  struct Shared {
    std::atomic<pid_t> other{0};
    std::atomic<std::size_t> done{0};
  };
  void* const page =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  isa::Kernel plain;
  plain.model_bytes = 1;
  Shared* shared = nullptr;
  plain.program = [&shared](isa::CorePort& core) {
    if (core.index() == 0) shared->other = ::getpid(), ++shared->done;
    return ends();
  };
  isa::Kernel kills = plain;
  kills.model_bytes = 2;  // the first to be taken
  kills.program = [&shared](isa::CorePort& core) {
    for (int i = 0; core.index() == 0 && shared->done < kOthers && i < 1000; ++i) ::usleep(10'000);
    // The answers of the worker before are read first; those of one behind wait in its pipe.
    if (core.index() == 0 && shared->other > ::getpid()) {
      ::usleep(200'000);
      ::kill(shared->other, SIGKILL);
    }
    return ends();
  };
  std::vector<const isa::Kernel*> kernels(kOthers, &plain);
  kernels.push_back(&kills);
  std::size_t whole = kOthers;
  for (int attempt = 0; attempt < 20 && whole == kOthers; ++attempt) {
    shared = new (page) Shared;
    const auto answers = soc::run_on_copies(machine, kernels, 2);
    machine.reset_memory();
    const soc::Activity alone = machine.run(plain, false);
    whole = 0;
    for (std::size_t i = 0; i < kOthers; ++i) {
      whole += answers[i].has_value() ? 1 : 0;
      EXPECT_EQ(answers[i].value_or(alone), alone);
    }
  }
  EXPECT_GT(whole, 0U);
  EXPECT_LT(whole, kOthers);
  ::munmap(page, sizeof(Shared));
}

}  // namespace
}  // namespace ridgepoint::workloads
