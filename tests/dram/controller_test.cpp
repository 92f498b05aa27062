// SPDX-License-Identifier: Apache-2.0
// What the controllers do with few requests: exact latencies, hazards, order, refresh deadlines and
// the ends of time. Every test runs on every controller.
#include <gtest/gtest.h>

#include <map>

#include "sim/core/error.hpp"
#include "sim/dram/address_map.hpp"
#include "tests/dram/support.hpp"

namespace ridgepoint::dram {
namespace {

using namespace testing;

class EveryController : public ::testing::TestWithParam<ControllerKind> {
 protected:
  std::shared_ptr<const Spec> spec(Config config = {}) const {
    config.controller = GetParam();
    return std::make_shared<const Spec>(resolve(config));
  }
  static Config without_refresh() {
    Config config;
    config.refresh = RefreshMode::kNone;
    return config;
  }
};

core::MemoryRequest request(std::uint64_t id, std::uint64_t address, std::uint32_t bytes,
                            bool is_write = false, core::Femtoseconds arrival = 0) {
  core::MemoryRequest result;
  result.id = id;
  result.address = address;
  result.bytes = bytes;
  result.is_write = is_write;
  result.arrival = arrival;
  return result;
}

std::uint64_t local(const Spec& spec, int bank, std::int64_t row, int column) {
  return static_cast<std::uint64_t>(AddressMap(spec).encode({bank, row, column})) *
         static_cast<std::uint64_t>(spec.geometry.burst_bytes);
}

Tick tick_of(const Spec& spec, core::Femtoseconds time) {
  return spec.tick_clock.first_cycle_at_or_after(time);
}

TEST_P(EveryController, UnloadedLatencyIsTheSumOfItsTimings) {
  for (const Standard* standard : all_standards()) {
    Config config = without_refresh();
    config.standard = std::string(standard->name);
    const auto machine = spec(config);
    const Spec& s = *machine;
    const auto channel = make_channel(machine, 0);
    // Closed bank, then a hit, then another row of the same bank; far apart.
    const auto burst = static_cast<std::uint32_t>(s.geometry.burst_bytes);
    const core::Femtoseconds later = 1'000 * core::kFsPerNs;
    const Outcome outcome =
        drive(*channel, {request(0, local(s, 3, 10, 0), burst),
                         request(1, local(s, 3, 10, 1), burst, false, later),
                         request(2, local(s, 3, 11, 0), burst, false, 2 * later)});
    const Tick data = s.timing("tCL") + s.timing("tBURST");
    const auto read_after = [&](Tick act) {
      return s.align_up(Command::kRd, act + s.timing("tRCDRD")) + data;
    };
    const auto seen = [&](Command command, core::Femtoseconds arrival) {
      return s.align_up(command, tick_of(s, arrival));
    };
    const auto done = [&](std::size_t index) { return tick_of(s, outcome.completed[index].time); };
    EXPECT_EQ(done(0), read_after(seen(Command::kAct, 0)));
    EXPECT_EQ(done(1), seen(Command::kRd, later) + data);
    EXPECT_EQ(done(2), read_after(s.align_up(Command::kAct,
                                             seen(Command::kPre, 2 * later) + s.timing("tRP"))));
    EXPECT_EQ(outcome.stats.row_misses, 1);
    EXPECT_EQ(outcome.stats.row_hits, 1);
    EXPECT_EQ(outcome.stats.row_conflicts, 1);
  }
}

TEST_P(EveryController, TicksOf312500FemtosecondsAreNotRounded) {
  const auto machine = spec(without_refresh());
  EXPECT_EQ(machine->tick_clock, core::Clock(312'500, 1));
  const auto channel = make_channel(machine, 0);
  // A million ticks away: a picosecond per two ticks would be 500 ns off.
  const core::Femtoseconds arrival = 312'500 * std::int64_t{1'000'000};
  const Outcome outcome = drive(*channel, {request(0, 0, 32, false, arrival)});
  const Tick ticks = machine->timing("tRCDRD") + machine->timing("tCL") + machine->timing("tBURST");
  EXPECT_EQ(outcome.completed[0].time, arrival + 312'500 * ticks);
}

TEST_P(EveryController, AnyPinRateHasAnExactClock) {
  Config config = without_refresh();
  config.pin_rate_gbps = 5.2;
  const Spec s = resolve(config);
  EXPECT_EQ(s.tick_clock.time_of(5'200'000), 2 * core::kFsPerNs * 1'000'000);
  EXPECT_EQ(s.timing("tRC"), (45 * 26 + 9) / 10);  // ns x ticks per ns, rounded up
}

TEST_P(EveryController, AReadOfAQueuedWriteIsAnsweredFromTheQueue) {
  const auto machine = spec(without_refresh());
  const auto channel = make_channel(machine, 0);
  // Another bank's read keeps the direction on reads while the write waits.
  const Outcome outcome = drive(*channel, {request(0, local(*machine, 9, 1, 0), 32),
                                           request(1, local(*machine, 0, 1, 0), 32, true),
                                           request(2, local(*machine, 0, 1, 0), 32)});
  EXPECT_EQ(outcome.stats.forwarded_bursts, 1);
  EXPECT_EQ(outcome.completed[0].id, 2U);
  EXPECT_EQ(tick_of(*machine, outcome.completed[0].time), 1);
  EXPECT_EQ(outcome.stats.read_useful_bytes[3], 64);
  EXPECT_EQ(outcome.stats.read_pin_bytes[3], 32);
}

TEST_P(EveryController, AWriteWaitsForTheOlderReadOfItsBurst) {
  Config config = without_refresh();
  config.write_high = 1;  // writes would go first if they could
  config.write_low = 0;
  const auto machine = spec(config);
  const auto channel = make_channel(machine, 0);
  const Outcome outcome = drive(
      *channel,
      {request(0, local(*machine, 0, 1, 0), 32), request(1, local(*machine, 0, 1, 0), 32, true)},
      true);
  std::vector<Command> columns;
  for (const IssuedCommand& command : outcome.trace) {
    if (is_column(command.command)) columns.push_back(command.command);
  }
  EXPECT_EQ(columns, (std::vector<Command>{Command::kRd, Command::kWr}));
}

TEST_P(EveryController, PartialBurstsCostWholeOnes) {
  const auto machine = spec(without_refresh());
  const Outcome outcome = drive(*make_channel(machine, 0), {request(0, 31, 2), request(1, 64, 1)});
  EXPECT_EQ(outcome.stats.read_pin_bytes[3], 96);
  EXPECT_EQ(outcome.stats.read_useful_bytes[3], 3);
}

TEST_P(EveryController, EqualIdsFromDifferentSourcesAreDifferentRequests) {
  const auto machine = spec(without_refresh());
  core::MemoryRequest a = request(7, 0, 32);
  core::MemoryRequest b = request(7, 0, 32);
  a.source = 1;
  const Outcome outcome = drive(*make_channel(machine, 0), {a, b});
  ASSERT_EQ(outcome.completed.size(), 2U);
  EXPECT_EQ(outcome.completed[0].source, 0U);
  EXPECT_EQ(outcome.completed[1].source, 1U);
}

TEST_P(EveryController, RefreshIsNeverStarved) {
  for (const RefreshMode mode : {RefreshMode::kAllBank, RefreshMode::kPerBank}) {
    for (const int postpone : {0, 8}) {
      Config config;
      config.refresh = mode;
      config.refresh_postpone = postpone;
      const auto machine = spec(config);
      const auto channel = make_channel(machine, 0);
      const Outcome outcome = drive(
          *channel, requests_of(*machine, sequential(std::uint64_t{24} << 20, 4096), 0), true);
      // Per pseudo-channel, the n-th refresh of a unit comes within (postpone + 1) intervals and
      // the time to close and to wait for its predecessor.
      const bool per_bank = mode == RefreshMode::kPerBank;
      const Tick units = per_bank ? machine->geometry.banks_per_pseudo_channel() : 1;
      const Tick interval = machine->timing("tREFI");
      const Tick slack = machine->timing(per_bank ? "tRFCpb" : "tRFC") + machine->timing("tRC") +
                         machine->timing("tRP");
      std::map<int, Tick> count;
      for (const IssuedCommand& command : outcome.trace) {
        if (command.command != Command::kRefAb && command.command != Command::kRefPb) continue;
        const Tick nth = ++count[command.pc];
        EXPECT_GE(command.tick, nth * interval / units);
        EXPECT_LE(command.tick, (nth + postpone) * interval / units + slack);
      }
      EXPECT_GE(count[0], outcome.last_tick / (interval / units) - postpone - 1);
      EXPECT_GE(count[1], outcome.last_tick / (interval / units) - postpone - 1);
    }
  }
}

TEST_P(EveryController, PerBankRefreshHoldsBackOneBankOnly) {
  Config config;
  config.refresh = RefreshMode::kPerBank;
  const auto machine = spec(config);
  const Outcome outcome =
      drive(*make_channel(machine, 0),
            requests_of(*machine, sequential(std::uint64_t{24} << 20, 4096), 0), true);
  const Tick tRFCpb = machine->timing("tRFCpb");
  std::map<int, IssuedCommand> last;
  std::int64_t others = 0;
  for (const IssuedCommand& command : outcome.trace) {
    if (command.command == Command::kRefPb) last[command.pc] = command;
    const auto refresh = last.find(command.pc);
    if (!is_column(command.command) || refresh == last.end()) continue;
    if (command.tick >= refresh->second.tick + tRFCpb) continue;
    EXPECT_FALSE(command.bg == refresh->second.bg && command.bank == refresh->second.bank);
    ++others;
  }
  EXPECT_GT(others, 1000);
}

TEST_P(EveryController, SmallestQueuesDoNotDeadlock) {
  Config config;
  config.read_queue = config.write_queue = config.write_high = 1;
  config.write_low = 0;
  const auto machine = spec(config);
  Pattern pattern = uniform(2'000, 1U << 16, 64, 5);  // a small window: hazards everywhere
  for (std::size_t index = 0; index < pattern.size(); index += 2) pattern[index].is_write = true;
  const std::vector<core::MemoryRequest> load = requests_of(*machine, pattern, 0);
  EXPECT_EQ(drive(*make_channel(machine, 0), load).completed.size(), load.size());
}

TEST_P(EveryController, BadRequestsAreRefused) {
  const auto machine = spec();
  const auto channel = make_channel(machine, 0);
  const auto capacity = static_cast<std::uint64_t>(machine->geometry.channel_bytes());
  EXPECT_THROW(channel->submit(request(0, 0, 0)), core::SimulationError);
  EXPECT_THROW(channel->submit(request(0, capacity - 16, 32)), core::SimulationError);
  EXPECT_THROW(channel->submit(request(0, ~std::uint64_t{0} - 8, 32)), core::SimulationError);
  channel->advance(1'000'000);
  EXPECT_THROW(channel->submit(request(0, 0, 32, false, 999'999)), core::SimulationError);
  EXPECT_NO_THROW(channel->submit(request(0, capacity - 32, 32, false, 1'000'000)));
}

TEST_P(EveryController, NextEventIsNeverLateAndNeverWhenIdle) {
  const auto machine = spec(without_refresh());
  const auto channel = make_channel(machine, 0);
  EXPECT_EQ(channel->next_event(), core::kNever);
  channel->submit(request(0, 0, 256, false, 77 * core::kFsPerNs));
  std::vector<core::MemoryEvent> completed;
  std::int64_t steps = 0;
  while (completed.empty()) {
    const core::Femtoseconds next = channel->next_event();
    ASSERT_NE(next, core::kNever);
    channel->advance(next + 1);
    channel->take_completed(completed);
    ASSERT_LT(++steps, 10'000);
  }
  EXPECT_EQ(channel->next_event(), core::kNever);
}

// Femtoseconds end after two and a half hours; shortly before, nothing has wrapped around.
TEST(Overflow, TimesNearTheEndOfTheCounterAreExact) {
  constexpr core::Femtoseconds kLate = 312'500 * std::int64_t{29'000'000'000'000};  // 9.06e18
  for (const ControllerKind kind : {ControllerKind::kEventDriven, ControllerKind::kFast}) {
    Config config;
    config.refresh = RefreshMode::kNone;
    config.controller = kind;
    const auto machine = std::make_shared<const Spec>(resolve(config));
    const auto channel = make_channel(machine, 0);
    channel->advance(kLate - 1'000'000'000);
    std::vector<core::MemoryRequest> load;
    for (std::uint64_t index = 0; index < 64; ++index) {
      load.push_back(request(index, index * 4096, 32, index % 2 == 1, kLate));
    }
    for (const core::MemoryRequest& one : load) channel->submit(one);
    std::vector<core::MemoryEvent> done;
    channel->advance(kLate + 10'000 * core::kFsPerNs);
    channel->take_completed(done);
    ASSERT_EQ(done.size(), load.size());
    for (const core::MemoryEvent& event : done) {
      EXPECT_GT(event.time, kLate);
      EXPECT_LT(event.time, kLate + 10'000 * core::kFsPerNs);
    }
    const ChannelStats stats = channel->stats();
    std::int64_t booked = stats.busy_ticks;
    for (const std::int64_t ticks : stats.lost_ticks) booked += ticks;
    EXPECT_EQ(booked, stats.total_ticks);
    EXPECT_GT(stats.total_ticks, 0);
    EXPECT_GE(stats.queue_wait_ticks, 0);
    EXPECT_LT(stats.latency_ticks, 64 * 32'000);
  }
}

// With refresh on: the next event after a submit is the arrival, not the next refresh.
TEST_P(EveryController, NextEventKnowsRequestsThatHaveNotBeenSimulatedYet) {
  Config config;
  config.controller = GetParam();
  const auto channel = make_channel(config, 0);
  channel->advance(500 * core::kFsPerNs);
  channel->submit(request(0, 0, 32, false, 600 * core::kFsPerNs));
  EXPECT_LE(channel->next_event(), 600 * core::kFsPerNs);
  EXPECT_GE(channel->next_event(), 500 * core::kFsPerNs);
}

INSTANTIATE_TEST_SUITE_P(Dram, EveryController,
                         ::testing::Values(ControllerKind::kOracle, ControllerKind::kEventDriven,
                                           ControllerKind::kFast),
                         [](const auto& row) {
                           if (row.param == ControllerKind::kOracle) return "Oracle";
                           return row.param == ControllerKind::kFast ? "Fast" : "EventDriven";
                         });

TEST(Config, BadValuesNameTheKeyAndWhatIsAccepted) {
  const auto message = [](auto&& change) -> std::string {
    Config config;
    change(config);
    try {
      resolve(config);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  using ::testing::TestWithParam;
  EXPECT_NE(message([](Config& c) { c.standard = "HBM9"; }).find("HBM9"), std::string::npos);
  EXPECT_NE(message([](Config& c) { c.stacks = 0; }).find("stacks"), std::string::npos);
  EXPECT_NE(message([](Config& c) { c.stacks = 1000; }).find("4096 channels"), std::string::npos);
  // Refresh that would leave no time for requests.
  EXPECT_NE(message([](Config& c) { c.timing_ns["tREFI"] = 1; }).find("tREFI"), std::string::npos);
  EXPECT_NE(message([](Config& c) { c.timing_ns["tRFC"] = 3900; }).find("shorter tRFC"),
            std::string::npos);
  EXPECT_NE(message([](Config& c) {
              c.refresh = RefreshMode::kPerBank;
              c.timing_ns["tRFCpb"] = 5000;
            }).find("shorter tRFCpb"),
            std::string::npos);
  EXPECT_EQ(message([](Config& c) { c.timing_ns["tRFC"] = 3000; }), "accepted");
  EXPECT_NE(message([](Config& c) { c.pin_rate_gbps = 60; }).find("pin_rate_gbps"),
            std::string::npos);
  EXPECT_NE(message([](Config& c) { c.target_gb_per_s = 1e6; }).find("target_gb_per_s"),
            std::string::npos);
  EXPECT_NE(message([](Config& c) { c.stack_capacity_bytes = 12345; }).find("12345"),
            std::string::npos);
  EXPECT_NE(message([](Config& c) { c.stack_ids = 3; }).find("stack_ids"), std::string::npos);
  EXPECT_NE(message([](Config& c) { c.write_low = 60; }).find("write_low"), std::string::npos);
  EXPECT_NE(message([](Config& c) { c.refresh_postpone = 9; }).find("0..8"), std::string::npos);
  EXPECT_NE(message([](Config& c) { c.interleave_bytes = 96; }).find("power of two"),
            std::string::npos);
  EXPECT_NE(message([](Config& c) { c.address_map = "row bank"; }).find("address_map"),
            std::string::npos);
  EXPECT_NE(message([](Config& c) { c.timing_ns["tXYZ"] = 1; }).find("tXYZ"), std::string::npos);
}

TEST(Config, ATargetBandwidthSetsThePinRate) {
  Config config;
  config.stacks = 5;
  config.target_gb_per_s = 3350;
  const Spec spec = resolve(config);
  EXPECT_NEAR(spec.peak_gb_per_s, 3350, 0.001);
  EXPECT_EQ(spec.channels, 80);
}

}  // namespace
}  // namespace ridgepoint::dram
