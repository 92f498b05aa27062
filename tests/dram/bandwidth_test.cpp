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
  const Config c = config();
  const Spec spec = resolve(c);
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

core::MemoryRequest burst_at(const Spec& spec, const AddressMap& map, const DramAddress& at) {
  core::MemoryRequest request;
  request.address = static_cast<std::uint64_t>(map.encode(at) * spec.geometry.burst_bytes);
  request.bytes = static_cast<std::uint32_t>(spec.geometry.burst_bytes);
  return request;
}

// Bursts of pseudo-channel 0 that each open the next row of the next bank, groups first.
std::vector<core::MemoryRequest> row_per_burst(const Spec& spec, int count, int pseudo_channels) {
  const Geometry& geometry = spec.geometry;
  const AddressMap map(spec);
  std::vector<core::MemoryRequest> load;
  for (int index = 0; index < count; ++index) {
    const int pc = index % pseudo_channels;
    const int place = index / pseudo_channels;
    const int group = place % geometry.bank_groups;
    const int within = place / geometry.bank_groups % geometry.banks;
    const int bank =
        (pc * geometry.stack_ids * geometry.bank_groups + group) * geometry.banks + within;
    const std::int64_t row = place / geometry.banks_per_stack_id();
    load.push_back(burst_at(spec, map, {bank, row, 0}));
    load.back().id = static_cast<std::uint64_t>(index);
  }
  return load;
}

Tick bus_ticks(const Spec& spec, std::initializer_list<Command> commands) {
  Tick ticks = 0;
  for (const CommandShape& shape : spec.standard->shapes) {
    for (const Command command : commands) {
      if (shape.commands.contains(command)) ticks += shape.ticks;
    }
  }
  return ticks;
}

// What an ACT per burst costs: the fifth comes a tFAW after the first, each a tRRD_S after the one
// before, and every bank again after tRC; or the next row's data.
double per_activation(const Spec& spec) {
  const Tick tFAW = spec.timings.contains("tFAW") ? spec.timing("tFAW") : 0;
  const auto grid = [&](Tick ticks) {
    return static_cast<double>(spec.align_up(Command::kAct, ticks));
  };
  return std::max({grid(tFAW) / 4, grid(spec.timing("tRRD_S")),
                   grid(spec.timing("tRC")) / spec.geometry.banks_per_stack_id(),
                   static_cast<double>(spec.timing("tBURST"))});
}

// One pseudo-channel, rows closed by RDA: nothing but the window (or tRRD, or tRC) binds. Where
// four bursts fill the window (DDR5), a longer one is taken, so that it is the window that is
// measured.
TEST_P(EveryStandard, ARowPerBurstIsLimitedByTheActivateWindow) {
  Config c = config();
  c.refresh = RefreshMode::kNone;
  c.row_policy = RowPolicy::kClosed;
  const Spec standard = resolve(c);
  if (standard.timings.contains("tFAW") &&
      standard.timing("tFAW") <= 4 * standard.timing("tBURST")) {
    c.timing_ns["tFAW"] =
        5.5 * static_cast<double>(standard.timing("tBURST")) * standard.tick_clock.period_ns();
  }
  const auto spec = std::make_shared<const Spec>(resolve(c));
  const double expected = static_cast<double>(spec->timing("tBURST")) / per_activation(*spec);
  const Outcome outcome = drive(*make_channel(spec, 0), row_per_burst(*spec, 8'000, 1));
  EXPECT_EQ(outcome.stats.commands[static_cast<std::size_t>(Command::kAct)], 8'000);
  EXPECT_NEAR(share_of_peak(*spec, outcome) * spec->geometry.pseudo_channels / expected, 1, 0.01);
}

// All pseudo-channels, rows closed by PRE: ACT and PRE of all of them share the row bus.
TEST_P(EveryStandard, ARowPerBurstOfEveryPseudoChannelSharesTheRowBus) {
  Config c = config();
  c.refresh = RefreshMode::kNone;
  const auto spec = std::make_shared<const Spec>(resolve(c));
  const int pcs = spec->geometry.pseudo_channels;
  Tick bus = bus_ticks(*spec, {Command::kAct, Command::kPre});
  if (spec->standard->shared_command_bus) bus += bus_ticks(*spec, {Command::kRd});
  const auto row_bus = static_cast<double>(bus * pcs);
  const double per_access = std::max(per_activation(*spec), row_bus);
  const Outcome outcome = drive(*make_channel(spec, 0), row_per_burst(*spec, 8'000, pcs));
  // A command bus without a free slot cannot also place every command at its best moment, and where
  // banks or a full data bus are the limit, each slot that a command has to wait is lost.
  const double banks =
      static_cast<double>(spec->timing("tRC")) / spec->geometry.banks_per_stack_id();
  const auto burst = static_cast<double>(spec->timing("tBURST"));
  const bool slips = std::max({row_bus, banks, burst}) > 0.95 * per_access;
  EXPECT_NEAR(
      share_of_peak(*spec, outcome) * per_access / static_cast<double>(spec->timing("tBURST")), 1,
      slips ? 0.04 : 0.01);
}

// 32 reads, 32 writes, and so on, all to open rows of one pseudo-channel: with queues of 32,
// drained whole, each direction runs for 32 bursts. Reads keep to two bank groups and writes to the
// others, where there are only two (HBM4) to those of the other stack id, so that tCCD_L never
// binds and the first read after a drain waits for tWTR_S.
TEST_P(EveryStandard, TurnaroundsCostWhatTheirTimingsSay) {
  constexpr int kBatch = 32;
  Config c = config();
  c.refresh = RefreshMode::kNone;
  c.read_queue = c.write_queue = c.write_high = kBatch;
  c.write_low = 0;
  const auto spec = std::make_shared<const Spec>(resolve(c));
  const Geometry& geometry = spec->geometry;
  const int all_groups = std::max(geometry.bank_groups, 4);
  ASSERT_LE(all_groups, geometry.bank_groups * geometry.stack_ids);
  const AddressMap map(*spec);
  std::vector<core::MemoryRequest> load;
  for (int index = 0; index < 600 * 2 * kBatch; ++index) {
    const bool write = index / kBatch % 2 == 1;
    const int groups = write ? all_groups - 2 : 2;
    const int group = (write ? 2 : 0) + index % kBatch % groups;
    load.push_back(burst_at(*spec, map, {group * geometry.banks, 1, index % kBatch / groups}));
    load.back().id = static_cast<std::uint64_t>(index);
    load.back().is_write = write;
  }
  const Outcome outcome = drive(*make_channel(spec, 0), load);
  const auto grid = [&](Tick ticks) { return spec->align_up(Command::kRd, ticks); };
  const Tick burst = spec->timing("tBURST");
  const Tick to_write =
      std::max(spec->timing("tRTW"), spec->timing("tCL") + burst - spec->timing("tCWL"));
  const Tick cycle = 2 * (kBatch - 1) * burst + grid(to_write) +
                     grid(spec->timing("tCWL") + burst + spec->timing("tWTR_S"));
  const double expected = static_cast<double>(2 * kBatch * burst) / static_cast<double>(cycle);
  EXPECT_NEAR(share_of_peak(*spec, outcome) * geometry.pseudo_channels / expected, 1, 0.01);
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
