// SPDX-License-Identifier: Apache-2.0
// Every row of every standard's table: blocked one tick early, legal on the tick, and the tick is
// the one that the golden table beside this file states. A row changed by one tick, dropped or
// widened fails here by its name.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <set>

#include "sim/core/error.hpp"
#include "sim/dram/device.hpp"
#include "sim/dram/timers.hpp"

namespace ridgepoint::dram {
namespace {

Spec spec_of(const Standard& standard) {
  Config config;
  config.standard = std::string(standard.name);
  config.stack_ids = 2;  // so that sibling rules have siblings
  return resolve(config);
}

// "rule text" -> ticks, from lines "<rule text> = <ticks>".
std::map<std::string, Tick> golden(std::string_view standard) {
  std::ifstream file(std::string(RIDGEPOINT_SOURCE_DIR) + "/tests/dram/rules/" +
                     std::string(standard) + ".txt");
  EXPECT_TRUE(file) << "no golden table for " << standard;
  std::map<std::string, Tick> rules;
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.rfind(" = ");
    if (equals == std::string::npos || line[0] == '#') continue;
    const auto [known, fresh] = rules.try_emplace(line.substr(0, equals), 0);
    known->second = std::max(known->second, Tick{std::stoll(line.substr(equals + 3))});
  }
  return rules;
}

// A pair of banks for (from, to) that shares exactly the rule's scope, or sits in sibling nodes.
std::pair<int, int> banks_for(const Geometry& geometry, const Rule& rule) {
  const int node = geometry.banks_per_node(rule.scope);
  if (rule.siblings) return {0, node};
  const int inner =
      rule.scope == Scope::kBank
          ? 0
          : geometry.banks_per_node(static_cast<Scope>(static_cast<int>(rule.scope) - 1));
  return {0, inner == node ? 0 : inner};
}

std::vector<Command> members(const CommandSet& set) {
  std::vector<Command> commands;
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    if (set.contains(static_cast<Command>(kind))) commands.push_back(static_cast<Command>(kind));
  }
  return commands;
}

// Brings `bank` into a state in which `command` is legal, with a device that knows one rule only.
void prepare(Device& device, Command command, int bank, Tick tick) {
  const bool needs_row = is_column(command) || command == Command::kPre;
  if (needs_row && device.open_row(bank) == kClosed) device.issue(Command::kAct, bank, 7, tick);
  const int per_sid = device.spec().geometry.banks_per_stack_id();
  const int first = bank / per_sid * per_sid;
  if (!needs_row && command != Command::kPreAb && !device.all_closed({first, 1, per_sid})) {
    device.issue(Command::kPreAb, bank, kClosed, tick);
  }
}

class EveryRule : public ::testing::TestWithParam<const Standard*> {};

// One rule alone, between one pair of its commands.
void expect_exact(const Spec& full, const Rule& rule, Command from, Command to) {
  SCOPED_TRACE(rule.text + ", here " + std::string(name_of(from)) + " -> " +
               std::string(name_of(to)));
  Spec alone = full;
  alone.rules = {rule};
  alone.align.fill(1);
  const auto [from_bank, to_bank] = banks_for(full.geometry, rule);
  Device device(alone);
  constexpr Tick kStart = 100'000;
  constexpr Tick kGap = 5'000;  // apart enough for any rule's own from-command
  Tick oldest = 0;
  for (int count = 0; count < rule.window; ++count) {
    const Tick tick = kStart + count * kGap;
    prepare(device, from, from_bank, tick - kGap / 2);
    device.issue(from, from_bank, 7, tick);
    if (count == 0) oldest = tick;
  }
  EXPECT_EQ(device.constraint(to, to_bank).tick, oldest + rule.ticks);
  const Tick legal = oldest + rule.ticks;
  EXPECT_FALSE(device.ready(to, to_bank, legal - 1));
  EXPECT_TRUE(device.ready(to, to_bank, legal));
  if (legal <= kStart + (rule.window - 1) * kGap) return;  // a window shorter than the gaps
  if (rule.ticks <= 4) return;                             // no time to bring the banks in order
  prepare(device, to, to_bank, kStart + (rule.window - 1) * kGap + 1);
  Device late = device;
  if (device.constraint(to, to_bank).tick == legal) {
    EXPECT_THROW(device.issue(to, to_bank, 7, legal - 1), core::SimulationError);
  }
  EXPECT_NO_THROW(late.issue(to, to_bank, 7, late.constraint(to, to_bank).tick));
}

TEST_P(EveryRule, IsBlockedOneTickEarlyAndLegalOnTheTick) {
  const Spec full = spec_of(*GetParam());
  for (const Rule& rule : full.rules) {
    for (const Command from : members(rule.from)) {
      for (const Command to : members(rule.to)) expect_exact(full, rule, from, to);
    }
  }
}

TEST_P(EveryRule, IsInTheGoldenTableWithItsTicks) {
  const Spec spec = spec_of(*GetParam());
  const std::map<std::string, Tick> expected = golden(GetParam()->name);
  std::map<std::string, Tick> actual;
  for (const Rule& rule : spec.rules) {
    std::string text = rule.text;
    if (rule.window > 1) text += " (window " + std::to_string(rule.window) + ")";
    if (rule.siblings) text += " (siblings)";
    Tick& ticks = actual[text];
    ticks = std::max(ticks, rule.ticks);
  }
  EXPECT_EQ(actual, expected);
}

// A rule whose window is shorter than four from-commands can be is checked tick by tick.
TEST_P(EveryRule, FourActivateWindowHoldsBackTheFifth) {
  const Spec spec = spec_of(*GetParam());
  if (!spec.timings.contains("tFAW")) GTEST_SKIP() << "the standard has no such window";
  Device device(spec);
  const Geometry& geometry = spec.geometry;
  Tick tick = 0;
  Tick first = 0;
  for (int count = 0; count < 4; ++count) {
    const int bank = count % geometry.bank_groups * geometry.banks + count / geometry.bank_groups;
    tick = device.earliest(Command::kAct, bank);
    if (count == 0) first = tick;
    device.issue(Command::kAct, bank, 1, tick);
  }
  const int next = 4 % geometry.bank_groups * geometry.banks + 3;
  const Tick fifth = device.earliest(Command::kAct, next);
  const Tick expected = std::max(
      {first + spec.timing("tFAW"), tick + spec.timing("tRRD_S"), first + spec.timing("tRRD_L")});
  EXPECT_EQ(fifth, spec.align_up(Command::kAct, expected));
}

// The compiled registers say the same as the rules read one by one.
void compare_registers(const Spec& spec) {
  Device device(spec);
  Timers timers(spec);
  std::mt19937_64 random(11);
  const auto banks = static_cast<std::uint64_t>(spec.geometry.total_banks());
  for (int step = 0; step < 3'000; ++step) {
    const int bank = static_cast<int>(random() % banks);
    const int per_sid = spec.geometry.banks_per_stack_id();
    const int first = bank / per_sid * per_sid;
    Command command{};
    if (device.open_row(bank) == kClosed) {
      const bool refresh = random() % 8 == 0 && spec.standard->per_bank_refresh;
      command = refresh ? Command::kRefPb : Command::kAct;
      if (random() % 64 == 0) command = Command::kPreAb;
      if (spec.standard->same_bank_refresh && random() % 8 == 0) {
        command = device.all_closed(spec.geometry.addressed(Command::kRefSb, bank))
                      ? Command::kRefSb
                      : Command::kPreSb;
      }
      if (device.all_closed({first, 1, per_sid})) command = Command::kRefAb;
    } else {
      constexpr std::array<Command, 6> kChoices{Command::kRd,  Command::kWr,  Command::kRda,
                                                Command::kWra, Command::kPre, Command::kRd};
      command = kChoices[random() % kChoices.size()];
    }
    for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
      const auto other = static_cast<Command>(kind);
      if (!Timers::answers_for(spec, other)) continue;
      const bool whole = other == Command::kPreAb || other == Command::kRefAb;
      const int at = whole ? first : bank;
      // Registers answer for commands that the state of the banks allows.
      const bool opens = other == Command::kAct || other == Command::kRefAb ||
                         other == Command::kRefPb || other == Command::kRefSb;
      if (opens && !device.all_closed(spec.geometry.addressed(other, at))) continue;
      ASSERT_EQ(std::max<Tick>(0, device.constraint(other, at).tick), timers.earliest(other, at))
          << name_of(other) << " at step " << step;
    }
    const bool whole = command == Command::kPreAb || command == Command::kRefAb;
    const int target = whole ? first : bank;
    const Tick tick = device.earliest(command, target);
    device.issue(command, target, is_column(command) ? device.open_row(bank) : 3, tick);
    timers.issue(command, target, tick);
  }
}

TEST_P(EveryRule, CompiledRegistersAgreeWithTheTable) {
  for (const RefreshMode mode :
       {RefreshMode::kNone, RefreshMode::kAllBank, RefreshMode::kPerBank, RefreshMode::kSameBank}) {
    if (mode == RefreshMode::kPerBank && !GetParam()->per_bank_refresh) continue;
    if (mode == RefreshMode::kSameBank && !GetParam()->same_bank_refresh) continue;
    Config config = spec_of(*GetParam()).config;
    config.refresh = mode;
    compare_registers(resolve(config));
  }
}

INSTANTIATE_TEST_SUITE_P(Dram, EveryRule, ::testing::ValuesIn(all_standards()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST(Device, RefusesWhatTheStateForbids) {
  const Spec spec = resolve({});
  Device device(spec);
  EXPECT_THROW(device.issue(Command::kRd, 0, 5, 1000), core::SimulationError);
  EXPECT_THROW(device.issue(Command::kPre, 0, 0, 1000), core::SimulationError);
  device.issue(Command::kAct, 0, 5, 1000);
  EXPECT_THROW(device.issue(Command::kAct, 0, 6, 2000), core::SimulationError);
  EXPECT_THROW(device.issue(Command::kRd, 0, 6, 2000), core::SimulationError);
  EXPECT_THROW(device.issue(Command::kRefAb, 0, 0, 2000), core::SimulationError);
  EXPECT_THROW(device.issue(Command::kRd, 0, 5, 2001), core::SimulationError);  // off the CK grid
  EXPECT_NO_THROW(device.issue(Command::kRd, 0, 5, 2000));
}

}  // namespace
}  // namespace ridgepoint::dram
