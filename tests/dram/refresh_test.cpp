// SPDX-License-Identifier: Apache-2.0
// How refreshes that do not close a whole stack id at once are spread: who is due when, what they
// hold back, and what that is worth. Every test runs on every controller.
#include <gtest/gtest.h>

#include <map>

#include "sim/core/error.hpp"
#include "sim/dram/device.hpp"
#include "tests/dram/support.hpp"

namespace ridgepoint::dram {
namespace {

using namespace testing;

class Refresh : public ::testing::TestWithParam<ControllerKind> {
 protected:
  Outcome run(Config config, const Pattern& pattern) {
    config.controller = GetParam();
    spec_ = std::make_shared<const Spec>(resolve(config));
    return drive(*make_channel(spec_, 0), requests_of(*spec_, pattern, 0), true);
  }
  Tick timing(std::string_view name) const { return spec_->timing(name); }
  std::shared_ptr<const Spec> spec_;
};

Pattern writes(std::uint64_t count) {
  Pattern pattern = uniform(count, std::uint64_t{1} << 32, 64, 3);
  for (Access& access : pattern) access.is_write = true;
  return pattern;
}

// The n-th refresh of a stack id comes after it is due and before the next one is, although a bank
// that has just been written needs longer to close than a quarter of that.
TEST_P(Refresh, FourRanksDoNotShareTheTimeOfOne) {
  Config config;
  config.standard = "LPDDR5X";
  config.stack_ids = 4;
  config.refresh = RefreshMode::kPerBank;
  const Outcome outcome = run(config, writes(40'000));
  const Tick close = timing("tCWL") + timing("tBURST") + timing("tWR") + timing("tRP");
  ASSERT_GT(close, timing("tREFI") / spec_->geometry.banks_per_pseudo_channel());
  const Tick banks = spec_->geometry.banks_per_stack_id();
  std::map<int, Tick> count;
  std::map<std::pair<int, Tick>, int> in_round;  // stack id and round -> set of banks
  for (const IssuedCommand& command : outcome.trace) {
    if (command.command != Command::kRefPb) continue;
    const Tick nth = ++count[command.sid];
    EXPECT_GE(command.tick, (nth - 1) * timing("tREFI") / banks);
    EXPECT_LT(command.tick, (nth + 1) * timing("tREFI") / banks);
    in_round[{command.sid, (nth - 1) / banks}] |=
        1 << (command.bg * spec_->geometry.banks + command.bank);
  }
  ASSERT_EQ(count.size(), 4U);
  for (const auto& [sid, refreshes] : count) EXPECT_GT(refreshes, 2 * banks) << sid;
  for (const auto& [key, banks_seen] : in_round) {
    if (key.second >= count[key.first] / banks) continue;  // not yet whole
    EXPECT_EQ(banks_seen, 0xffff);
  }
}

TEST_P(Refresh, SameBankRefreshTakesEveryGroupsBankInTurn) {
  Config config;
  config.standard = "DDR5";
  config.refresh = RefreshMode::kSameBank;
  const Outcome outcome = run(config, sequential(std::uint64_t{1} << 20, 4096));
  const Tick interval = timing("tREFI2") / spec_->geometry.banks;
  Tick nth = 0, last = kLongAgo;
  int bank = -1;
  std::int64_t meanwhile = 0;
  for (const IssuedCommand& command : outcome.trace) {
    if (command.command == Command::kRefSb) {
      EXPECT_EQ(command.bank, nth % spec_->geometry.banks);
      EXPECT_EQ(command.bg, -1);
      ++nth;
      EXPECT_GE(command.tick, nth * interval);
      EXPECT_LT(command.tick, (nth + 1) * interval);
      last = command.tick, bank = command.bank;
    } else if (command.tick < last + timing("tRFCsb")) {
      EXPECT_NE(command.bank, bank) << "at " << command.tick;
      if (command.command == Command::kAct) {
        EXPECT_GE(command.tick, last + timing("tREFSBRD"));
      }
      meanwhile += is_column(command.command) ? 1 : 0;
    }
  }
  EXPECT_GT(nth, 40);
  EXPECT_GT(meanwhile, nth * 4) << "the other banks work on";
}

INSTANTIATE_TEST_SUITE_P(Dram, Refresh,
                         ::testing::Values(ControllerKind::kOracle, ControllerKind::kEventDriven,
                                           ControllerKind::kFast),
                         [](const auto& row) {
                           if (row.param == ControllerKind::kOracle) return "Oracle";
                           return row.param == ControllerKind::kFast ? "Fast" : "EventDriven";
                         });

double measure(Config config, RefreshMode refresh, const Pattern& pattern) {
  config.refresh = refresh;
  const auto spec = std::make_shared<const Spec>(resolve(config));
  return share_of_peak(*spec, drive(*make_channel(spec, 0), requests_of(*spec, pattern, 0)));
}

// The patterns that fill the queues: streams, single bursts, a third of writes, paged caches.
// `bytes` per channel.
std::map<std::string, Pattern> saturating(std::uint64_t bytes, const Config& config) {
  const Spec spec = resolve(config);
  constexpr std::uint64_t kSpace = std::uint64_t{4} << 30;
  const std::uint64_t array = std::min<std::uint64_t>(
      std::uint64_t{1} << 30, static_cast<std::uint64_t>(spec.total_bytes()) / 4);
  bytes *= static_cast<std::uint64_t>(spec.channels);
  Pattern triad;
  for (std::uint64_t at = 0; at < bytes / 3; at += 64) {
    triad.push_back({at, 64});
    triad.push_back({array + at, 64});
    triad.push_back({2 * array + at, 64, true});
  }
  return {{"seq", sequential(bytes, 4096)},
          {"rand", uniform(bytes / 64, kSpace, 32, 1)},
          {"mix21", sequential(bytes, 64, 3)},
          {"triad", triad},
          {"KV16", paged(16, 32768, 256, bytes, kSpace, 2)},
          {"KV64", paged(64, 4096, 64, bytes, kSpace, 3)}};
}

TEST(RefreshModes, PerBankBeatsAllBankOnEverySaturatingPattern) {
  for (const Standard* standard : all_standards()) {
    if (!standard->per_bank_refresh) continue;
    Config config;
    config.standard = std::string(standard->name);
    for (const auto& [name, pattern] : saturating(1536 << 10, config)) {
      const double none = measure(config, RefreshMode::kNone, pattern);
      const double all_bank = measure(config, RefreshMode::kAllBank, pattern);
      const double per_bank = measure(config, RefreshMode::kPerBank, pattern);
      EXPECT_GT(per_bank, all_bank) << standard->name << ' ' << name;
      EXPECT_GT(none, all_bank) << standard->name << ' ' << name;
    }
  }
}

// REFsb comes at the fine-granularity rate: banks are away for 4 tRFCsb per tREFI2, more than twice
// as long as with REFab. Where bank conflicts decide (triad), that costs more than it saves.
TEST(RefreshModes, SameBankBeatsAllBankOnStreams) {
  Config config;
  config.standard = "DDR5";
  for (const auto& [name, pattern] : saturating(1536 << 10, config)) {
    const double all_bank = measure(config, RefreshMode::kAllBank, pattern);
    const double same_bank = measure(config, RefreshMode::kSameBank, pattern);
    EXPECT_GT(same_bank, (name == "triad" ? 0.97 : 1) * all_bank) << name;
  }
}

// Refreshes of single banks one after the other must leave a tick for something else.
TEST(Config, RefreshesBankByBankLeaveATick) {
  Config config;
  config.standard = "HBM2";
  config.pin_rate_gbps = 2;
  config.stack_ids = 4;
  config.refresh = RefreshMode::kPerBank;
  config.timing_ns["tRREFD"] = 31;
  config.timing_ns["tREFI"] = 2050;
  EXPECT_NO_THROW(resolve(config));
  config.timing_ns["tREFI"] = 2040;
  EXPECT_THROW(resolve(config), core::InputError);
}

}  // namespace
}  // namespace ridgepoint::dram
