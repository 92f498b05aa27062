// SPDX-License-Identifier: Apache-2.0
// Measured bandwidth beside the closed form that bounds it.
#include <gtest/gtest.h>

#include "sim/dram/address_map.hpp"
#include "tests/dram/support.hpp"

namespace ridgepoint::dram {
namespace {

using namespace testing;

double measure(const Config& config, const Pattern& pattern, int channel = 0) {
  const auto spec = std::make_shared<const Spec>(resolve(config));
  const auto port = make_channel(spec, channel);
  const Outcome outcome = drive(*port, requests_of(*spec, pattern, channel));
  std::int64_t booked = outcome.stats.busy_ticks;
  for (const std::int64_t ticks : outcome.stats.lost_ticks) booked += ticks;
  EXPECT_EQ(booked, outcome.stats.total_ticks);
  return share_of_peak(*spec, outcome);
}

class EveryStandard : public ::testing::TestWithParam<const Standard*> {
 protected:
  Config config() const {
    Config config;
    config.standard = std::string(GetParam()->name);
    return config;
  }
};

TEST_P(EveryStandard, SequentialReadsReachTheRefreshLimit) {
  const Spec spec = resolve(config());
  const auto ns = [&](const char* name) { return static_cast<double>(spec.timing(name)); };
  const double refresh = (ns("tRTP") + ns("tRP") + ns("tRFC") + ns("tRCDRD")) / ns("tREFI");
  const double peak_share =
      measure(config(), sequential(std::uint64_t{32} << 20, 4096)) / (1 - refresh);
  EXPECT_GT(peak_share, 0.99);
  EXPECT_LT(peak_share, 1.01);
}

// Requests to one bank, each to another row: one burst per tRC, on one of the pseudo-channels.
TEST_P(EveryStandard, SameBankRowConflictsComeEveryRowCycle) {
  Config c = config();
  c.refresh = RefreshMode::kNone;
  const auto spec = std::make_shared<const Spec>(resolve(c));
  const AddressMap map(*spec);
  std::vector<core::MemoryRequest> load;
  for (std::int64_t row = 0; row < 2'000; ++row) {
    core::MemoryRequest request;
    request.id = static_cast<std::uint64_t>(row);
    request.address =
        static_cast<std::uint64_t>(map.encode({5, row, 0}) * spec->geometry.burst_bytes);
    request.bytes = static_cast<std::uint32_t>(spec->geometry.burst_bytes);
    load.push_back(request);
  }
  const Outcome outcome = drive(*make_channel(spec, 0), load);
  const Tick between = std::max(
      spec->timing("tRC"), spec->timing("tRCDRD") + spec->timing("tRTP") + spec->timing("tRP"));
  const double expected = static_cast<double>(spec->timing("tBURST")) /
                          static_cast<double>(between) / spec->geometry.pseudo_channels;
  EXPECT_NEAR(share_of_peak(*spec, outcome) / expected, 1, 0.01);
  EXPECT_EQ(outcome.stats.row_conflicts, 1'999);
}

// Each access opens its own row in the next bank, groups first: four bursts per tFAW and
// pseudo-channel, or what tRRD and the row bus (an ACT and a PRE per access) leave.
TEST_P(EveryStandard, ARowPerAccessIsLimitedByTheActivateWindow) {
  Config c = config();
  c.refresh = RefreshMode::kNone;
  const auto spec = std::make_shared<const Spec>(resolve(c));
  const Geometry& geometry = spec->geometry;
  const AddressMap map(*spec);
  std::vector<core::MemoryRequest> load;
  for (int index = 0; index < 8'000; ++index) {
    const int pc = index % geometry.pseudo_channels;
    const int place = index / geometry.pseudo_channels;
    const int group = place % geometry.bank_groups;
    const int within = place / geometry.bank_groups % geometry.banks;
    const int bank =
        (pc * geometry.stack_ids * geometry.bank_groups + group) * geometry.banks + within;
    const std::int64_t row = place / (geometry.bank_groups * geometry.banks);
    core::MemoryRequest request;
    request.id = static_cast<std::uint64_t>(index);
    request.address = static_cast<std::uint64_t>(map.encode({bank, row, 0}) * geometry.burst_bytes);
    request.bytes = static_cast<std::uint32_t>(geometry.burst_bytes);
    load.push_back(request);
  }
  const Outcome outcome = drive(*make_channel(spec, 0), load);
  const auto ticks = [&](std::string_view name) { return static_cast<double>(spec->timing(name)); };
  Tick row_bus = 0;
  for (const CommandShape& shape : spec->standard->shapes) {
    for (const Command command : {Command::kAct, Command::kPre}) {
      if (shape.commands.contains(command)) row_bus += shape.ticks;
    }
  }
  const double banks = geometry.bank_groups * geometry.banks;
  const double per_access =
      std::max({ticks("tFAW") / 4, ticks("tRRD_S"), ticks("tRC") / banks,
                static_cast<double>(row_bus * geometry.pseudo_channels), ticks("tBURST")});
  EXPECT_NEAR(share_of_peak(*spec, outcome) * per_access / ticks("tBURST"), 1, 0.01);
}

// Reads and writes one to one, all to open rows: each drain serves high - low writes, then as many
// reads, and pays both turnarounds.
TEST_P(EveryStandard, TurnaroundsCostWhatTheirTimingsSay) {
  Config c = config();
  c.refresh = RefreshMode::kNone;
  const auto spec = std::make_shared<const Spec>(resolve(c));
  const auto burst = static_cast<std::uint32_t>(spec->geometry.burst_bytes);
  std::vector<core::MemoryRequest> load;
  // Reads sweep the first half of a few open rows and writes the second half, over and over.
  const std::uint64_t half = 32 * burst;
  for (std::uint64_t index = 0; index < 40'000; ++index) {
    core::MemoryRequest request;
    request.id = index;
    request.is_write = index % 2 == 1;
    request.address = index / 2 % 32 * burst + (request.is_write ? half : 0);
    request.bytes = burst;
    load.push_back(request);
  }
  const Outcome outcome = drive(*make_channel(spec, 0), load);
  const double batch = c.write_high - c.write_low;
  const auto ticks = [&](std::string_view name) { return static_cast<double>(spec->timing(name)); };
  const double turn = ticks("tRTW") + ticks("tCWL") + ticks("tBURST") + ticks("tWTR_S");
  const double cycle = (2 * batch - 2) * ticks("tBURST") + turn;
  EXPECT_NEAR(share_of_peak(*spec, outcome) * cycle / (2 * batch * ticks("tBURST")), 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Dram, EveryStandard, ::testing::ValuesIn(all_standards()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST(Bandwidth, PerBankRefreshBeatsAllBankOnEverySaturatingPattern) {
  constexpr std::uint64_t kSpace = std::uint64_t{4} << 30;
  const std::vector<Pattern> patterns{
      sequential(std::uint64_t{24} << 20, 4096),  uniform(120'000, kSpace, 32, 1),
      sequential(std::uint64_t{24} << 20, 64, 3), paged(16, 32768, 256, 24U << 20, kSpace, 2),
      paged(64, 4096, 64, 24U << 20, kSpace, 3),
  };
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    Config config;
    config.refresh = RefreshMode::kNone;
    const double none = measure(config, patterns[index]);
    config.refresh = RefreshMode::kAllBank;
    const double all_bank = measure(config, patterns[index]);
    config.refresh = RefreshMode::kPerBank;
    const double per_bank = measure(config, patterns[index]);
    EXPECT_GT(per_bank, all_bank) << "pattern " << index;
    EXPECT_GT(none, all_bank) << "pattern " << index;
  }
}

TEST(Bandwidth, Hbm3DefaultsMeetTheirTargets) {
  EXPECT_GE(measure({}, sequential(std::uint64_t{32} << 20, 4096)), 0.89);
  EXPECT_GE(measure({}, paged(16, 32768, 256, 8U << 20, std::uint64_t{4} << 30, 2)), 0.75);
  EXPECT_GE(measure({}, strided(40'000, 4096, 32)), 0.40);
}

}  // namespace
}  // namespace ridgepoint::dram
