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
  const double tRPab = ns(spec.timings.contains("tRPab") ? "tRPab" : "tRP");
  const double refresh = (ns("tRTP") + tRPab + ns("tRFC") + ns("tRCDRD")) / ns("tREFI");
  // On a shared command bus an ACT that does not fit between two reads delays the second.
  Tick slip = 0;
  if (spec.standard->shared_command_bus) {
    for (const CommandShape& shape : spec.standard->shapes) {
      if (shape.commands.contains(Command::kAct)) slip += shape.ticks;
      if (shape.commands.contains(Command::kRd)) slip += shape.ticks;
    }
    slip = std::max<Tick>(0, slip - spec.timing("tBURST"));
  }
  const double row = spec.geometry.columns * ns("tBURST");
  const double bus = row / (row + static_cast<double>(slip));
  const auto machine = std::make_shared<const Spec>(spec);
  std::vector<core::MemoryRequest> load;
  for (std::uint64_t index = 0; index < 3'000; ++index) {
    core::MemoryRequest request;
    request.id = index;
    request.address = index * 4096;
    request.bytes = 4096;
    load.push_back(request);
  }
  // Whole refresh intervals only, from the first refresh on.
  const auto channel = make_channel(machine, 0);
  for (const core::MemoryRequest& request : load) channel->submit(request);
  const auto advance_to = [&](Tick tick) {
    channel->advance(spec.tick_clock.time_of(tick));
    return channel->stats();
  };
  const Tick tREFI = spec.timing("tREFI");
  const ChannelStats before = advance_to(tREFI);
  const ChannelStats after = advance_to(9 * tREFI);
  const ChannelStats steady = after - before;
  ASSERT_LT(after.pieces, 3'000) << "the load is too short";
  const double peak_share = static_cast<double>(steady.busy_ticks) /
                            static_cast<double>(steady.total_ticks) / ((1 - refresh) * bus);
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
  const Tick between = spec->align_up(
      Command::kAct,
      std::max({spec->timing("tRC"), spec->timing("tRAS") + spec->timing("tRP"),
                spec->timing("tRCDRD") + spec->timing("tRTP") + spec->timing("tRP")}));
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
    for (const Command command : {Command::kAct, Command::kPre, Command::kRd}) {
      if (command == Command::kRd && !spec->standard->shared_command_bus) continue;
      if (shape.commands.contains(command)) row_bus += shape.ticks;
    }
  }
  const double banks = geometry.bank_groups * geometry.banks;
  const auto window = static_cast<double>(spec->align_up(Command::kAct, spec->timing("tFAW")));
  const double per_access =
      std::max({window / 4, ticks("tRRD_S"), ticks("tRC") / banks,
                static_cast<double>(row_bus * geometry.pseudo_channels), ticks("tBURST")});
  // A command bus without a free slot cannot also place every command at its best moment.
  const bool full_bus = static_cast<double>(row_bus * geometry.pseudo_channels) > 0.95 * per_access;
  EXPECT_NEAR(share_of_peak(*spec, outcome) * per_access / ticks("tBURST"), 1,
              full_bus ? 0.04 : 0.01);
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
  // The first read after a drain waits for tWTR_S or, in the last write's bank group, tWTR_L.
  const auto share = [&](std::string_view tWTR) {
    const double turn = ticks("tRTW") + ticks("tCWL") + ticks("tBURST") + ticks(tWTR);
    return 2 * batch * ticks("tBURST") / ((2 * batch - 2) * ticks("tBURST") + turn);
  };
  EXPECT_LT(share_of_peak(*spec, outcome), 1.01 * share("tWTR_S"));
  EXPECT_GT(share_of_peak(*spec, outcome), 0.99 * share("tWTR_L"));
}

INSTANTIATE_TEST_SUITE_P(Dram, EveryStandard, ::testing::ValuesIn(all_standards()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST(Bandwidth, Hbm3DefaultsMeetTheirTargets) {
  EXPECT_GE(measure({}, sequential(std::uint64_t{32} << 20, 4096)), 0.89);
  EXPECT_GE(measure({}, paged(16, 32768, 256, 8U << 20, std::uint64_t{4} << 30, 2)), 0.75);
  EXPECT_GE(measure({}, strided(40'000, 4096, 32)), 0.40);
}

}  // namespace
}  // namespace ridgepoint::dram
