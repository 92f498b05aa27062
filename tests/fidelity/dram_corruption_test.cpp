// SPDX-License-Identifier: Apache-2.0
// A good trace made bad in one place is rejected under the right name, with both commands and the
// missing ticks.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fidelity/dram_traces.hpp"

namespace ridgepoint::dram::testing {
namespace {

using checker::TraceCommand;
using enum Command;

// A standard, and the place in its trace.
class DramCorruption : public ::testing::TestWithParam<std::tuple<const Standard*, int>> {
 protected:
  void SetUp() override { make(RefreshMode::kAllBank); }
  void make(RefreshMode refresh) {
    Config config;
    config.standard = std::string(standard().name);
    config.refresh = refresh;
    config.timing_ns = {{"tREFI", 1950}};
    spec_ = std::make_shared<const Spec>(resolve(config));
    limits_ = checker::limits_of(*spec_);
    good_ =
        trace_of(spec_, named_pattern("mixed", std::uint64_t{32 << 10} *
                                                   static_cast<std::uint64_t>(spec_->channels)));
    ASSERT_TRUE(checked(limits_, good_).clean());
  }
  static const Standard& standard() { return *std::get<0>(GetParam()); }
  // What the checker calls the bus of a command.
  std::string bus(const char* own) const {
    return standard().shared_command_bus ? "command bus" : std::string(own) + " command bus";
  }
  // The index of a command of this kind, from the given place of the trace on.
  std::size_t pick(Command kind) const {
    const std::size_t from =
        good_.commands.size() / 8 * static_cast<std::size_t>(std::get<1>(GetParam()));
    for (std::size_t i = from; i < good_.commands.size(); ++i) {
      if (good_.commands[i].command == kind) return i;
    }
    ADD_FAILURE() << "no " << name_of(kind);
    return 0;
  }
  // The next command of the kind to the bank of command `index`.
  std::size_t next(Command kind, std::size_t index) const {
    for (std::size_t i = index + 1; i < good_.commands.size(); ++i) {
      if (good_.commands[i].command == kind &&
          same_bank(good_.commands[i], good_.commands[index])) {
        return i;
      }
    }
    return index;
  }
  static bool same_bank(const TraceCommand& a, const TraceCommand& b) {
    return a.pc == b.pc && a.sid == b.sid && a.bg == b.bg && a.bank == b.bank;
  }
  static void restore_order(Traced& trace) {
    std::stable_sort(trace.commands.begin(), trace.commands.end(),
                     [](const TraceCommand& a, const TraceCommand& b) { return a.tick < b.tick; });
  }
  ::testing::AssertionResult is_rejected(const Traced& bad, std::string_view rule) const {
    const checker::Checker checker = checked(limits_, bad);
    if (breaks(checker, rule)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "wanted " << rule << ", got\n"
                                         << text_of(checker.violations());
  }

  std::shared_ptr<const Spec> spec_;
  checker::Limits limits_;
  Traced good_;
};

class DramPerBankCorruption : public DramCorruption {};
class DramSameBankCorruption : public DramCorruption {};
class DramGridCorruption : public DramCorruption {};

TEST_P(DramCorruption, ReadShiftedBeforeItsRowIsReady) {
  const std::size_t act = pick(kAct);
  Traced bad = good_;
  std::size_t column = std::min(next(kRd, act), next(kWr, act));
  if (column == act) column = std::max(next(kRd, act), next(kWr, act));
  const bool write = bad.commands[column].command == kWr;
  const Tick tRCD = write ? limits_.tRCDWR : limits_.tRCDRD;
  bad.commands[column].tick = bad.commands[act].tick + tRCD - 2;
  restore_order(bad);
  const checker::Checker checker = checked(limits_, bad);
  const auto found = std::find_if(
      checker.violations().begin(), checker.violations().end(),
      [&](const checker::Violation& one) { return one.rule == (write ? "tRCDWR" : "tRCDRD"); });
  ASSERT_NE(found, checker.violations().end()) << text_of(checker.violations());
  EXPECT_EQ(found->earlier, good_.commands[act]);
  EXPECT_EQ(found->missing, 2);
  EXPECT_EQ(found->count, 1);
}

TEST_P(DramCorruption, DroppedPrecharge) {
  Traced bad = good_;
  bad.commands.erase(bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kPre)));
  EXPECT_TRUE(is_rejected(bad, "ACT to an open bank"));
}

TEST_P(DramCorruption, DroppedPrechargeBeforeRefresh) {
  Traced bad = good_;
  bad.commands.erase(bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kPreAb)));
  EXPECT_TRUE(is_rejected(bad, "refresh of an open bank"));
}

TEST_P(DramCorruption, DroppedActivate) {
  Traced bad = good_;
  const auto same_bank = [](const TraceCommand& a, const TraceCommand& b) {
    return a.pc == b.pc && a.sid == b.sid && a.bg == b.bg && a.bank == b.bank;
  };
  // Some ACTs are undone by a refresh before any access: the next one that is used.
  auto act = bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kAct));
  for (;; ++act) {
    ASSERT_NE(act, bad.commands.end());
    if (act->command != Command::kAct) continue;
    const auto next = std::find_if(act + 1, bad.commands.end(), [&](const TraceCommand& later) {
      return same_bank(*act, later) || later.command == Command::kPreAb;
    });
    if (next != bad.commands.end() && is_column(next->command)) break;
  }
  bad.commands.erase(act);
  EXPECT_TRUE(is_rejected(bad, "access to a closed bank"));
}

TEST_P(DramCorruption, DroppedRefresh) {
  Traced bad = good_;
  bad.commands.erase(bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kRefAb)));
  EXPECT_TRUE(is_rejected(bad, "tREFI"));
}

TEST_P(DramCorruption, RefreshTwice) {
  Traced bad = good_;
  const std::size_t index = pick(kRefAb);
  TraceCommand again = bad.commands[index];
  again.tick += limits_.tRFC - 1;
  bad.commands.push_back(again);
  restore_order(bad);
  EXPECT_TRUE(is_rejected(bad, "tRFC"));
}

TEST_P(DramCorruption, ChangedRow) {
  Traced bad = good_;
  bad.commands[pick(kRd)].row ^= 1;
  EXPECT_TRUE(is_rejected(bad, "access to another row"));
}

TEST_P(DramCorruption, DuplicatedActivate) {
  Traced bad = good_;
  const auto at = bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kAct));
  bad.commands.insert(at, *at);
  EXPECT_TRUE(is_rejected(bad, "ACT to an open bank"));
  EXPECT_TRUE(is_rejected(bad, bus("row")));
}

TEST_P(DramCorruption, DuplicatedRead) {
  Traced bad = good_;
  const auto at = bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kRd));
  bad.commands.insert(at, *at);
  EXPECT_TRUE(is_rejected(bad, "tCCD_L"));
  EXPECT_TRUE(is_rejected(bad, "data bus"));
  EXPECT_TRUE(is_rejected(bad, bus("column")));
}

TEST_P(DramCorruption, SwappedLines) {
  Traced bad = good_;
  std::size_t index = pick(kAct);
  while (bad.commands[index].tick == bad.commands[index + 1].tick) ++index;
  std::swap(bad.commands[index], bad.commands[index + 1]);
  EXPECT_TRUE(is_rejected(bad, "order of time"));
}

TEST_P(DramCorruption, PrechargeShiftedEarlier) {
  const std::size_t act = pick(kAct);
  const std::size_t pre = next(kPre, act);
  if (pre == act) GTEST_SKIP() << "closed by a PREab";
  Traced bad = good_;
  bad.commands[pre].tick = bad.commands[act].tick + limits_.tRAS - 1;
  restore_order(bad);
  EXPECT_TRUE(is_rejected(bad, "tRAS"));
}

TEST_P(DramGridCorruption, OffTheClockEdge) {
  Traced bad = good_;
  bad.commands[pick(kAct)].tick += 1;
  restore_order(bad);
  EXPECT_TRUE(is_rejected(bad, "clock edge"));
}

TEST_P(DramCorruption, BankThatDoesNotExist) {
  Traced bad = good_;
  bad.commands[pick(kRd)].bank = static_cast<int>(limits_.banks);
  EXPECT_TRUE(is_rejected(bad, "address"));
}

TEST_P(DramPerBankCorruption, OneBankRefreshedForAnother) {
  make(RefreshMode::kPerBank);
  Traced bad = good_;
  TraceCommand& refresh = bad.commands[pick(kRefPb)];
  refresh.bg = (refresh.bg + 1) % static_cast<int>(limits_.bank_groups);
  EXPECT_TRUE(is_rejected(bad, "REFpb twice in a round"));
}

// Without the first of a round the rest would only be another order.
TEST_P(DramPerBankCorruption, DroppedRefreshOfABank) {
  make(RefreshMode::kPerBank);
  Traced bad = good_;
  auto refresh = bad.commands.begin() + static_cast<std::ptrdiff_t>(pick(kRefPb));
  while (refresh->command != kRefPb || refresh->bg + refresh->bank == 0) ++refresh;
  bad.commands.erase(refresh);
  EXPECT_TRUE(is_rejected(bad, "REFpb twice in a round"));
}

TEST_P(DramSameBankCorruption, OneSameBankRefreshedForAnother) {
  make(RefreshMode::kSameBank);
  Traced bad = good_;
  TraceCommand& refresh = bad.commands[pick(kRefSb)];
  refresh.bank = (refresh.bank + 1) % static_cast<int>(limits_.banks);
  EXPECT_TRUE(is_rejected(bad, "REFsb twice in a round"));
}

TEST_P(DramSameBankCorruption, ActivateTooSoonAfterSameBankRefresh) {
  make(RefreshMode::kSameBank);
  Traced bad = good_;
  const std::size_t refresh = pick(kRefSb);
  const auto act =
      std::find_if(bad.commands.begin() + static_cast<std::ptrdiff_t>(refresh), bad.commands.end(),
                   [&](const TraceCommand& later) {
                     return later.command == kAct && later.sid == bad.commands[refresh].sid;
                   });
  ASSERT_NE(act, bad.commands.end());
  act->tick = bad.commands[refresh].tick + limits_.tREFSBRD - 1;
  restore_order(bad);
  EXPECT_TRUE(is_rejected(bad, "tREFSBRD"));
}

std::vector<const Standard*> standards_where(bool (*has)(const Standard&)) {
  std::vector<const Standard*> some;
  for (const Standard* standard : all_standards()) {
    if (has(*standard)) some.push_back(standard);
  }
  return some;
}

std::string name_of_case(const ::testing::TestParamInfo<std::tuple<const Standard*, int>>& row) {
  return std::string(std::get<0>(row.param)->name) + "_" + std::to_string(std::get<1>(row.param));
}

const auto kPlaces = ::testing::Values(0, 2, 4);
INSTANTIATE_TEST_SUITE_P(Standards, DramCorruption,
                         ::testing::Combine(::testing::ValuesIn(all_standards()), kPlaces),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(
    Standards, DramPerBankCorruption,
    ::testing::Combine(::testing::ValuesIn(standards_where([](const Standard& s) {
                         return s.per_bank_refresh;
                       })),
                       kPlaces),
    name_of_case);
INSTANTIATE_TEST_SUITE_P(
    Standards, DramSameBankCorruption,
    ::testing::Combine(::testing::ValuesIn(standards_where([](const Standard& s) {
                         return s.same_bank_refresh;
                       })),
                       kPlaces),
    name_of_case);
// Where row commands keep to every other tick.
INSTANTIATE_TEST_SUITE_P(
    Standards, DramGridCorruption,
    ::testing::Combine(::testing::ValuesIn(standards_where([](const Standard& s) {
                         return s.shapes.front().align > 1;
                       })),
                       kPlaces),
    name_of_case);

}  // namespace
}  // namespace ridgepoint::dram::testing
