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
  const std::map<std::string, double> per_bank{{"tREFI", 1600}, {"tRFCpb", 60}};
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
  };
}

Config config_of(const Scenario& scenario, const std::string& standard) {
  Config config;
  config.standard = standard;
  config.refresh = scenario.refresh;
  config.row_policy = scenario.rows;
  config.stack_ids = scenario.stack_ids;
  config.timing_ns = scenario.timing_ns;
  return config;
}

Pattern pattern_of(const Scenario& scenario, const Spec& spec) {
  const std::uint64_t bytes =
      (std::uint64_t{160} << 10) * static_cast<std::uint64_t>(spec.channels);
  if (std::string(scenario.pattern) == "writes")
    return with_writes(named_pattern("random", bytes), 1);
  return named_pattern(scenario.pattern, bytes);
}

// What the checker calls the rule: the last timing of its sum, or the wires it guards.
std::string expected_name(const Rule& rule) {
  const std::string& text = rule.text;
  if (text.ends_with("data bus occupancy")) return "data bus";
  if (text.ends_with("command bus occupancy")) {
    return rule.to.contains(Command::kRd) ? "column command bus" : "row command bus";
  }
  if (text.ends_with("tRTP + tRP") || text.ends_with("tWR + tRP")) return "auto precharge";
  return text.substr(text.find_last_of(' ') + 1);
}

// Rules that hold by construction whatever their latency, each with the reason.
const std::map<std::string, std::string>& never_binding() {
  static const std::string kOneRow = "a controller issues at most one row command per tick";
  static const std::map<std::string, std::string> rules{
      {"stack id: REFpb -> REFab: tRFCpb", "a configuration refreshes in one way, not in both"},
      {"channel: PRE,PREab,REFab,REFpb -> ACT: command bus occupancy", kOneRow},
      {"channel: PRE,PREab,REFab,REFpb -> PRE,PREab,REFab,REFpb: command bus occupancy", kOneRow},
      {"channel: RD,WR,RDA,WRA -> RD,WR,RDA,WRA: command bus occupancy",
       "at most one column command per tick of their grid"},
      {"pseudo-channel: WR,WRA -> RD,RDA: data bus occupancy",
       "tCWL + tBURST + tWTR_S of the same scope is longer than tBURST - (tCL - tCWL)"},
  };
  return rules;
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

std::vector<Prepared> prepare(const std::string& standard) {
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

class DramMutation : public ::testing::TestWithParam<const char*> {};

TEST_P(DramMutation, ScenariosAreCleanWithTrueTimings) {
  for (const Prepared& one : prepare(GetParam())) {
    const checker::Checker checker = run(one, one.spec);
    EXPECT_TRUE(checker.clean()) << one.scenario.pattern << '\n' << text_of(checker.violations());
  }
}

TEST_P(DramMutation, EveryRuleIsMissed) {
  const std::vector<Prepared> all = prepare(GetParam());
  const std::size_t rules = all.front().spec.rules.size();
  std::size_t caught = 0;
  for (std::size_t index = 0; index < rules; ++index) {
    const Rule& rule = all.front().spec.rules[index];
    const bool exempt = never_binding().count(rule.text) != 0;
    const bool found = std::any_of(all.begin(), all.end(), [&](const Prepared& one) {
      Spec mutant = one.spec;
      mutant.rules[index].ticks -= least_change(mutant, mutant.rules[index]);
      const checker::Checker checker = run(one, mutant);
      return exempt ? !checker.clean() : breaks(checker, expected_name(rule));
    });
    EXPECT_NE(found, exempt) << rule.text << (exempt ? " does bind" : " is not missed");
    caught += found ? 1 : 0;
  }
  EXPECT_EQ(caught + never_binding().size(), rules);
}

INSTANTIATE_TEST_SUITE_P(Standards, DramMutation, ::testing::Values("HBM2", "HBM3"));

}  // namespace
}  // namespace ridgepoint::dram::testing
