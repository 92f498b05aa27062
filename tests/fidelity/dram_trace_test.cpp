// SPDX-License-Identifier: Apache-2.0
// The checker finds nothing in any trace of ours: standards x refresh x rows x patterns.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/fidelity/dram_traces.hpp"

namespace ridgepoint::dram::testing {
namespace {

struct Case {
  const char* standard;
  RefreshMode refresh;
  RowPolicy rows;
  int stack_ids;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.standard << " refresh " << static_cast<int>(one.refresh) << " rows "
       << static_cast<int>(one.rows) << " sids " << one.stack_ids;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Standard* standard : all_standards()) {
    for (const RefreshMode refresh : refresh_modes(*standard)) {
      for (const RowPolicy rows : {RowPolicy::kOpen, RowPolicy::kClosed, RowPolicy::kTimeout}) {
        if (refresh == RefreshMode::kNone) continue;
        for (const int stack_ids : {1, 4}) {
          if (stack_ids * standard->bank_groups * standard->banks_per_group > 64) continue;
          all.push_back({standard->name.data(), refresh, rows, stack_ids});
        }
      }
    }
  }
  return all;
}

Config config_of(const Case& one) {
  Config config;
  config.standard = one.standard;
  config.refresh = one.refresh;
  config.row_policy = one.rows;
  config.stack_ids = one.stack_ids;
  return config;
}

class DramTrace : public ::testing::TestWithParam<Case> {};

void expect_clean(Config config, std::initializer_list<const char*> patterns) {
  for (const int postpone : {0, 4}) {
    config.refresh_postpone = postpone;
    const auto spec = std::make_shared<const Spec>(resolve(config));
    for (const char* name : patterns) {
      const std::uint64_t per_channel = 256 << 10;
      const Pattern pattern =
          named_pattern(name, per_channel * static_cast<std::uint64_t>(spec->channels));
      const Traced trace = trace_of(spec, pattern);
      const checker::Checker checker = checked(checker::limits_of(*spec), trace);
      EXPECT_TRUE(checker.clean()) << name << " postpone " << postpone << '\n'
                                   << text_of(checker.violations());
      EXPECT_GT(checker.commands(), 4096) << name;
    }
  }
}

TEST_P(DramTrace, ReadsObeyEveryRule) {
  expect_clean(config_of(GetParam()), {"sequential", "random", "strided", "paged_kv"});
}

TEST_P(DramTrace, WritesAmongReadsObeyEveryRule) {
  expect_clean(config_of(GetParam()), {"mixed", "stream_mix"});
}

TEST_P(DramTrace, SparseRequestsObeyEveryRule) {
  const auto spec = std::make_shared<const Spec>(resolve(config_of(GetParam())));
  const Pattern pattern =
      named_pattern("mixed", std::uint64_t{2048} * 64 * static_cast<std::uint64_t>(spec->channels));
  const Traced trace = trace_of(spec, pattern, 37'000'000);
  const checker::Checker checker = checked(checker::limits_of(*spec), trace);
  EXPECT_TRUE(checker.clean()) << text_of(checker.violations());
}

INSTANTIATE_TEST_SUITE_P(All, DramTrace, ::testing::ValuesIn(cases()));

// The widths and grids of commands, which the checker copies from a standard, against the texts:
// JESD235: ACT takes two clocks. JESD238: ACT takes 1.5 CK and starts on a rising edge, other row
// commands half a CK; RD and WR one CK, rising edge.
TEST(DramTraceLimits, CommandWidthsAreThoseOfTheStandards) {
  Config config;
  config.standard = "HBM2";
  const checker::Limits hbm2 = checker::limits_of(resolve(config));
  EXPECT_EQ(hbm2.act_bus, 2);
  EXPECT_EQ(hbm2.row_bus, 1);
  EXPECT_EQ(hbm2.column_bus, 1);
  EXPECT_EQ(hbm2.act_grid, 1);
  config.standard = "HBM3";
  const checker::Limits hbm3 = checker::limits_of(resolve(config));  // two ticks per CK
  EXPECT_EQ(hbm3.act_bus, 3);
  EXPECT_EQ(hbm3.act_grid, 2);
  EXPECT_EQ(hbm3.row_bus, 1);
  EXPECT_EQ(hbm3.row_grid, 1);
  EXPECT_EQ(hbm3.column_bus, 2);
  EXPECT_EQ(hbm3.column_grid, 2);
  EXPECT_EQ(hbm3.shared_bus, 0);
}

// What the checker may know of the simulator: names of commands, and numbers in one file.
TEST(DramTraceLimits, CheckerKnowsNoController) {
  namespace fs = std::filesystem;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(RIDGEPOINT_SOURCE_DIR "/sim/dram/checker")) {
    ++files;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      const std::size_t start = line.find("\"sim/dram/");
      if (!line.starts_with("#include") || start == std::string::npos) continue;
      const std::string name = line.substr(start + 10);
      const bool numbers = name == "spec.hpp\"" && entry.path().stem() == "limits_of_spec";
      EXPECT_TRUE(name.starts_with("checker/") || name == "command.hpp\"" || numbers)
          << entry.path() << ": " << line;
    }
  }
  EXPECT_GE(files, 10U);
}

}  // namespace
}  // namespace ridgepoint::dram::testing
