// SPDX-License-Identifier: Apache-2.0
// Lowers every rule of the controller's table by one tick, drives patterns that lean on it, and
// expects the checker, with the true timings, to name it. Where two rules demand the same, other
// timings are used under which one of them is the tighter.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/fidelity/dram_traces.hpp"

namespace ridgepoint::dram::testing {
namespace {

struct Scenario {
  const char* pattern;
  RefreshMode refresh = RefreshMode::kAllBank;
  RowPolicy rows = RowPolicy::kOpen;
  int stack_ids = 1;
  core::Femtoseconds gap = 0;
  std::map<std::string, double> timing_ns{};
};

std::vector<Scenario> scenarios() {
  using enum RefreshMode;
  using enum RowPolicy;
  const std::map<std::string, double> often{{"tREFI", 400}, {"tRFC", 40}};
  const std::map<std::string, double> per_bank{
      {"tREFI", 1600}, {"tRFCpb", 60}, {"tREFI2", 800}, {"tRFCsb", 60}};
  const auto also = [&](std::map<std::string, double> more) {
    more.insert(often.begin(), often.end());
    return more;
  };
  return {
      {"mixed", kAllBank, kOpen, 4, 0, often},
      {"random", kAllBank, kOpen, 1, 0, often},
      {"stream_mix", kAllBank, kOpen, 1, 0, often},
      {"random", kAllBank, kClosed, 1, 0, often},
      {"writes", kAllBank, kClosed, 1, 0, often},
      {"random", kPerBank, kOpen, 1, 0, per_bank},
      {"writes", kPerBank, kClosed, 1, 0, per_bank},
      {"mixed", kAllBank, kTimeout, 1, 40'000'000, often},
      {"sequential", kPerBank, kClosed, 1, 0, per_bank},
      {"sequential", kAllBank, kClosed, 1, 0, often},
      // One of two equal rules made the tighter.
      {"random", kAllBank, kOpen, 2, 0, also({{"tFAW", 40}})},
      {"random", kAllBank, kOpen, 1, 0, also({{"tRRD_L", 9}, {"tFAW", 1}})},
      {"random", kAllBank, kOpen, 1, 0, also({{"tRRD_S", 9}, {"tRRD_L", 1}, {"tFAW", 1}})},
      {"random", kAllBank, kOpen, 1, 0, also({{"tRC", 80}})},
      {"random", kAllBank, kOpen, 1, 0, also({{"tRAS", 60}, {"tRC", 70}})},
      {"sequential", kAllBank, kOpen, 2, 0, also({{"tCCD_R", 9}})},
      {"sequential", kAllBank, kOpen, 1, 0, also({{"tCCD_S", 4}})},
      {"writes", kAllBank, kOpen, 1, 0, also({{"tCCD_S", 4}})},
      {"sequential", kAllBank, kOpen, 1, 0, also({{"tCCD_S", 0.1}, {"tCCD_L", 0.1}})},
      {"writes", kAllBank, kOpen, 1, 0, also({{"tCCD_S", 0.1}, {"tCCD_L", 0.1}})},
      {"stream_mix", kAllBank, kOpen, 1, 0, also({{"tRTW", 0.1}})},
      {"stream_mix", kAllBank, kOpen, 1, 0, also({{"tWTR_S", 20}, {"tWTR_L", 1}})},
      {"sequential", kAllBank, kClosed, 1, 40'000'000, also({{"tRC", 45}, {"tRAS", 20}})},
      {"sequential", kAllBank, kClosed, 1, 40'000'000, also({{"tRTP", 30}})},
      {"mixed", kAllBank, kOpen, 1, 0, also({{"tWTR_S", 0.1}, {"tWTR_L", 20}})},
      {"stream_mix", kAllBank, kOpen, 1, 0, also({{"tWTR_S", 0.1}, {"tWTR_L", 20}})},
      {"random", kPerBank, kOpen, 1, 0, {{"tREFI", 1600}, {"tRFCpb", 60}, {"tRC", 80}}},
      // One request at a time, to the same rows, at every phase of refresh.
      {"sparse", kAllBank, kClosed, 1, 37'000'000, also({{"tRTP", 30}})},
      {"sparse", kAllBank, kClosed, 1, 37'000'000, also({{"tRC", 80}})},
      {"sparse_writes", kAllBank, kClosed, 1, 37'000'000, also({{"tWR", 40}})},
      {"sparse", kAllBank, kTimeout, 1, 237'000'000, often},
      // Refreshes of parts that follow each other as closely as they may.
      {"random", kPerBank, kOpen, 1, 0, {{"tREFI2", 800}, {"tRFCsb", 190}}},
  };
}

Config config_of(const Scenario& scenario, const Standard& standard) {
  Config config;
  config.standard = std::string(standard.name);
  config.refresh = scenario.refresh;
  config.row_policy = scenario.rows;
  config.stack_ids =
      std::min(scenario.stack_ids, 64 / (standard.bank_groups * standard.banks_per_group));
  for (const auto& [name, ns] : scenario.timing_ns) {
    const bool known =
        name == "tRFC" || std::any_of(standard.timings.begin(), standard.timings.end(),
                                      [&](const NamedTiming& one) { return one.name == name; });
    if (known) config.timing_ns[name] = ns;
  }
  // "Part by part": whichever way the standard has.
  if (scenario.refresh == RefreshMode::kPerBank && !standard.per_bank_refresh) {
    config.refresh = RefreshMode::kSameBank;
  }
  return config;
}

Pattern pattern_of(const Scenario& scenario, const Spec& spec) {
  const std::uint64_t bytes =
      (std::uint64_t{160} << 10) * static_cast<std::uint64_t>(spec.channels);
  const std::string name(scenario.pattern);
  if (name == "writes") return with_writes(named_pattern("random", bytes), 1);
  if (name.starts_with("sparse")) {
    const Pattern few = sequential(bytes / 16, 64);
    return name == "sparse" ? few : with_writes(few, 1);
  }
  return named_pattern(scenario.pattern, bytes);
}

// What the checker calls the rule: the last timing of its sum, or the wires it guards.
std::string expected_name(const Rule& rule, const Standard& standard) {
  const std::string& text = rule.text;
  if (text.ends_with("data bus occupancy")) return "data bus";
  if (text.ends_with("command bus occupancy")) {
    if (standard.shared_command_bus) return "command bus";
    return rule.to.contains(Command::kRd) ? "column command bus" : "row command bus";
  }
  if (text.ends_with("tRTP + tRP") || text.ends_with("tWR + tRP")) return "auto precharge";
  return text.substr(text.find_last_of(' ') + 1);
}

// Why a rule holds by construction whatever its latency; empty where it binds.
std::string never_binds(const Rule& rule, const Spec& spec) {
  const std::string& text = rule.text;
  const bool row_to_row = !rule.from.contains(Command::kRd) && !rule.to.contains(Command::kRd);
  const bool from_column = rule.from.contains(Command::kRd);
  if (text == "stack id: REFpb -> REFab: tRFCpb") {
    return "a configuration refreshes in one way, not in both";
  }
  if (text == "pseudo-channel: WR,WRA -> RD,RDA: data bus occupancy") {
    return "tCWL + tBURST + tWTR_S of the same scope is longer than tBURST - (tCL - tCWL)";
  }
  if (text.ends_with("data bus occupancy") && spec.geometry.pseudo_channels == 1 &&
      !spec.standard->shared_command_bus &&
      rule.from.contains(Command::kRd) == rule.to.contains(Command::kRd)) {
    return "column commands of one pseudo-channel occupy their bus as long as their data";
  }
  if (!text.ends_with("command bus occupancy")) return "";
  if (spec.geometry.pseudo_channels == 1 && text.find("ACT -> ACT") != std::string::npos) {
    return "tRRD_S of the same scope is longer";
  }
  if (from_column && rule.to.contains(Command::kRd)) {
    return "tCCD_S or the grid of the commands is at least as long";
  }
  if (rule.ticks == 1 && row_to_row) return "at most one row command per tick";
  if (rule.ticks == 1 && from_column) return "in a tick, the row command comes first";
  return "";
}

// One tick, or the grid of the commands where both only start on it.
Tick least_change(const Spec& spec, const Rule& rule) {
  Tick change = 64;
  for (std::size_t kind = 0; kind < kCommandKinds; ++kind) {
    const auto command = static_cast<Command>(kind);
    if (rule.from.contains(command) || rule.to.contains(command)) {
      change = std::min(change, static_cast<Tick>(spec.align[kind]));
    }
  }
  return change;
}

struct Prepared {
  Scenario scenario;
  Spec spec;
  Pattern pattern;
  checker::Limits limits;
};

std::vector<Prepared> prepare(const Standard& standard) {
  std::vector<Prepared> all;
  for (const Scenario& scenario : scenarios()) {
    const Spec spec = resolve(config_of(scenario, standard));
    all.push_back({scenario, spec, pattern_of(scenario, spec), checker::limits_of(spec)});
  }
  return all;
}

checker::Checker run(const Prepared& one, const Spec& spec) {
  return checked(one.limits, trace_of(std::make_shared<const Spec>(spec), one.pattern,
                                      one.scenario.gap, 1'000'000));
}

class DramMutation : public ::testing::TestWithParam<const Standard*> {};

TEST_P(DramMutation, ScenariosAreCleanWithTrueTimings) {
  for (const Prepared& one : prepare(*GetParam())) {
    const checker::Checker checker = run(one, one.spec);
    EXPECT_TRUE(checker.clean()) << one.scenario.pattern << '\n' << text_of(checker.violations());
  }
}

TEST_P(DramMutation, EveryRuleIsMissed) {
  const std::vector<Prepared> all = prepare(*GetParam());
  const std::size_t rules = all.front().spec.rules.size();
  std::size_t caught = 0, exempted = 0;
  for (std::size_t index = 0; index < rules; ++index) {
    const Rule& rule = all.front().spec.rules[index];
    const bool exempt = !never_binds(rule, all.front().spec).empty();
    exempted += exempt ? 1 : 0;
    const bool found = std::any_of(all.begin(), all.end(), [&](const Prepared& one) {
      Spec mutant = one.spec;
      mutant.rules[index].ticks -= least_change(mutant, mutant.rules[index]);
      const checker::Checker checker = run(one, mutant);
      return exempt ? !checker.clean() : breaks(checker, expected_name(rule, *GetParam()));
    });
    EXPECT_NE(found, exempt) << rule.text << (exempt ? " does bind" : " is not missed");
    caught += found ? 1 : 0;
  }
  EXPECT_EQ(caught + exempted, rules);
  EXPECT_LE(exempted, 9U);
}

INSTANTIATE_TEST_SUITE_P(Standards, DramMutation, ::testing::ValuesIn(all_standards()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace ridgepoint::dram::testing
