// SPDX-License-Identifier: Apache-2.0
// Random machines under random load: every controller gives the oracle's commands, events and
// statistics, whatever the cuts of advance() and the order of submit().
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/dram/support.hpp"

namespace ridgepoint::dram {
namespace {

using namespace testing;
using Random = std::mt19937_64;

int pick(Random& random, std::initializer_list<int> values) {
  return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
}

Config random_config(Random& random) {
  static const std::vector<std::string> kMaps{
      "",
      "row bank bg sid pc col",
      "row sid bank bg pc col",
      "row col sid bank bg pc",
      "row col:1 bank pc sid col bg",
      "row pc sid bank col bg",
  };
  Config config;
  const auto& standards = all_standards();
  config.standard = std::string(standards[random() % standards.size()]->name);
  config.address_map = kMaps[random() % kMaps.size()];
  config.bank_hash = random() % 2 == 0;
  config.stack_ids = pick(random, {1, 1, 2, config.standard == "DDR5" ? 2 : 4});
  config.scheduler = random() % 4 == 0 ? SchedulerKind::kFcfs : SchedulerKind::kFrFcfs;
  config.hit_cap = pick(random, {0, 0, 1, 4, 16});
  config.row_policy = static_cast<RowPolicy>(random() % 3);
  config.row_timeout_ns = static_cast<double>(20 + random() % 200);
  const std::vector<RefreshMode> modes = refresh_modes(find_standard(config.standard));
  config.refresh = modes[random() % modes.size()];
  config.refresh_postpone = pick(random, {0, 0, 1, 8});
  config.read_queue = pick(random, {1, 2, 8, 32, 64});
  config.write_queue = pick(random, {1, 4, 16, 64});
  config.write_high = 1 + static_cast<int>(random() % static_cast<unsigned>(config.write_queue));
  config.write_low = static_cast<int>(random() % static_cast<unsigned>(config.write_high));
  // Refreshes often enough for a short run to see many.
  if (config.refresh != RefreshMode::kNone) {
    config.timing_ns["tREFI"] = static_cast<double>(pick(random, {900, 1300, 3900}));
    if (config.refresh == RefreshMode::kSameBank) {
      config.timing_ns["tREFI2"] = static_cast<double>(pick(random, {700, 1300, 1950}));
    }
  }
  return config;
}

// Runs of neighbouring, random, strided and same-bank requests, in bursts of arrivals and lulls.
std::vector<core::MemoryRequest> random_load(Random& random, const Spec& spec) {
  const auto space = static_cast<std::uint64_t>(spec.geometry.channel_bytes());
  const std::uint64_t window = random() % 3 == 0 ? 4096 : space;  // small: hazards
  const int writes = pick(random, {0, 0, 20, 50, 100});
  const int lull_ns = pick(random, {0, 0, 0, 20, 200, 3000});
  const bool large = random() % 2 == 0;
  std::vector<core::MemoryRequest> load;
  core::Femtoseconds arrival = 0;
  std::uint64_t address = 0;
  for (std::int64_t bytes = 0; bytes < 400 * spec.geometry.burst_bytes;) {
    core::MemoryRequest request;
    request.id = load.size();
    request.source = static_cast<std::uint32_t>(random() % 3);
    request.bytes = static_cast<std::uint32_t>(1 + random() % (large ? 4096 : 300));
    if (random() % 2 == 0) request.bytes = (request.bytes + 255) / 256 * 256;
    switch (random() % 8) {
      case 0:
        address = random() % window;
        break;
      case 1:
        address = random() % window / 4096 * 4096;
        break;
      case 2:
        address += std::uint64_t{1} << (10 + random() % 10);
        break;
      default:
        break;  // the next neighbour
    }
    address %= window;
    request.address = std::min(address, space - request.bytes);
    address += request.bytes;
    request.is_write = static_cast<int>(random() % 100) < writes;
    request.traffic = static_cast<core::Traffic>(random() % core::kTrafficKinds);
    if (random() % 4 == 0) arrival += static_cast<core::Femtoseconds>(random() % 1'000'000);
    if (lull_ns > 0 && random() % 8 == 0) {
      arrival += static_cast<core::Femtoseconds>(random() % static_cast<unsigned>(lull_ns)) *
                 core::kFsPerNs;
    }
    request.arrival = arrival;
    bytes += request.bytes;
    load.push_back(request);
  }
  return load;
}

// Submits requests late, in batches and shuffled, and advances in random steps.
Outcome drive_randomly(Channel& channel, std::vector<core::MemoryRequest> load, Random random) {
  Outcome outcome;
  channel.observe([&](const IssuedCommand& command) { outcome.trace.push_back(command); });
  core::Femtoseconds now = 0;
  std::size_t submitted = 0;
  const auto longest = static_cast<std::uint64_t>(pick(random, {3, 100, 5000})) * core::kFsPerNs;
  while (outcome.completed.size() < load.size()) {
    const auto step = static_cast<core::Femtoseconds>(1 + random() % longest);
    std::size_t batch = submitted;
    while (batch < load.size() && load[batch].arrival < now + step) ++batch;
    std::shuffle(load.begin() + static_cast<std::ptrdiff_t>(submitted),
                 load.begin() + static_cast<std::ptrdiff_t>(batch), random);
    for (; submitted < batch; ++submitted) channel.submit(load[submitted]);
    now += step;
    if (random() % 2 == 0) {
      channel.advance(now);
    } else {
      channel.run_ahead(now);
    }
    channel.take_admitted(outcome.admitted);
    channel.take_completed(outcome.completed);
    if (now > core::kFsPerSecond / 100) throw std::runtime_error("the channel does not finish");
  }
  // All runs end at the same time, whatever their steps were, and idle for some refreshes.
  core::Femtoseconds end = 0;
  for (const core::MemoryEvent& event : outcome.completed) end = std::max(end, event.time);
  channel.advance(end + 20'000 * core::kFsPerNs);
  outcome.stats = channel.stats();
  return outcome;
}

void expect_same(const Outcome& expected, const Outcome& actual) {
  for (std::size_t index = 0; index < expected.trace.size(); ++index) {
    ASSERT_LT(index, actual.trace.size());
    const IssuedCommand& want = expected.trace[index];
    const IssuedCommand& got = actual.trace[index];
    ASSERT_EQ(want, got) << "command " << index << ": tick " << want.tick << " "
                         << name_of(want.command) << " but tick " << got.tick << " "
                         << name_of(got.command);
  }
  ASSERT_EQ(expected.trace.size(), actual.trace.size());
  const auto same_events = [](const core::MemoryEvent& a, const core::MemoryEvent& b) {
    return a.id == b.id && a.source == b.source && a.time == b.time;
  };
  ASSERT_TRUE(std::equal(expected.admitted.begin(), expected.admitted.end(),
                         actual.admitted.begin(), actual.admitted.end(), same_events));
  ASSERT_TRUE(std::equal(expected.completed.begin(), expected.completed.end(),
                         actual.completed.begin(), actual.completed.end(), same_events));
  ASSERT_TRUE(expected.stats == actual.stats);
}

class RandomMachine : public ::testing::TestWithParam<int> {};

TEST_P(RandomMachine, EveryControllerEqualsTheOracle) {
  for (int trial = 0; trial < 10; ++trial) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * 1000 + trial);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Config config = random_config(random);
    const std::vector<core::MemoryRequest> load = random_load(random, resolve(config));
    config.controller = ControllerKind::kOracle;
    const Outcome expected = drive_randomly(*make_channel(config, 0), load, Random(seed + 1));
    for (const ControllerKind kind : {ControllerKind::kEventDriven, ControllerKind::kFast}) {
      config.controller = kind;
      const Outcome actual = drive_randomly(*make_channel(config, 0), load, Random(seed + 2));
      expect_same(expected, actual);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dram, RandomMachine, ::testing::Range(0, 24));
// What a longer search found once.
INSTANTIATE_TEST_SUITE_P(Found, RandomMachine, ::testing::Values(418));

// Streams of pieces over open rows, long enough to come back to known states.
std::vector<core::MemoryRequest> random_streams(Random& random, const Spec& spec,
                                                std::int64_t bursts) {
  const int streams = pick(random, {1, 1, 2, 5});
  const auto piece = static_cast<std::uint32_t>(pick(random, {256, 1024, 4096, 16384}));
  const bool paged = random() % 2 == 0;
  const int lull_ns = pick(random, {0, 0, 300});
  const int write_percent = pick(random, {0, 0, 2});
  const std::uint64_t blocks = static_cast<std::uint64_t>(spec.geometry.channel_bytes()) / 16384;
  std::vector<std::uint64_t> place(static_cast<std::size_t>(streams));
  for (std::uint64_t& at : place) at = random() % (blocks / 2) * 16384;
  std::vector<core::MemoryRequest> load;
  core::Femtoseconds arrival = 0;
  for (std::int64_t done = 0; done < bursts; done += piece / spec.geometry.burst_bytes) {
    std::uint64_t& at = place[load.size() % place.size()];
    if (paged && at % 16384 == 0) at = random() % (blocks / 2) * 16384;
    core::MemoryRequest request;
    request.id = load.size();
    request.address = at;
    request.bytes = piece;
    request.traffic = static_cast<core::Traffic>(random() % core::kTrafficKinds);
    request.is_write = static_cast<int>(random() % 100) < write_percent;
    if (lull_ns > 0 && random() % 16 == 0) arrival += lull_ns * core::kFsPerNs;
    request.arrival = arrival;
    at += piece;
    load.push_back(request);
  }
  return load;
}

class RandomStreams : public ::testing::TestWithParam<int> {};

TEST_P(RandomStreams, TheFastPathIsUsedAndExact) {
  for (int trial = 0; trial < 6; ++trial) {
    const auto seed = static_cast<std::uint64_t>(500'000 + GetParam() * 100 + trial);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Config config = random_config(random);
    config.scheduler = SchedulerKind::kFrFcfs;
    config.row_policy = RowPolicy::kOpen;
    config.timing_ns.clear();
    if (random() % 4 != 0) config.read_queue = 96;
    // The event-driven controller stands in for the oracle in the longer runs.
    const bool long_run = trial % 3 != 0;
    const auto load = random_streams(random, resolve(config), long_run ? 40'000 : 4'000);
    config.controller = long_run ? ControllerKind::kEventDriven : ControllerKind::kOracle;
    const Outcome expected = drive_randomly(*make_channel(config, 0), load, Random(seed + 1));
    config.controller = ControllerKind::kFast;
    const auto spec = std::make_shared<const Spec>(resolve(config));
    const auto channel = make_channel(spec, 0);
    const Outcome actual = drive_randomly(*channel, load, Random(seed + 2));
    expect_same(expected, actual);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Dram, RandomStreams, ::testing::Range(0, 16));
INSTANTIATE_TEST_SUITE_P(Found, RandomStreams, ::testing::Values(132, 194, 237));

// The last burst of a request may lie in a row that is open: it does not enter unseen.
TEST(FastPath, RoundsEndBeforeARowThatIsOpen) {
  Config config;
  config.address_map = "row sid bg:1 bank col bg pc";
  config.bank_hash = false;
  config.read_queue = 5;
  config.write_queue = config.write_high = 1;
  config.write_low = 0;
  config.refresh = RefreshMode::kNone;
  const std::vector<core::MemoryRequest> load{
      {33, 0x10c3c240, 1, 1, 0, true, core::Traffic::kOther},
      {34, 0x10832d40, 512, 1, 0, false, core::Traffic::kOther},
      {65, 0x3c2dc21f, 130, 0, 773'775, false, core::Traffic::kOther}};
  config.controller = ControllerKind::kOracle;
  const Outcome expected = drive_randomly(*make_channel(config, 0), load, Random(1));
  for (const ControllerKind kind : {ControllerKind::kEventDriven, ControllerKind::kFast}) {
    config.controller = kind;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      expect_same(expected, drive_randomly(*make_channel(config, 0), load, Random(seed)));
      if (HasFatalFailure()) return;
    }
  }
}

// A read that a queued write answers needs no place, and is answered as soon as it is its turn.
TEST(FastPath, AReadThatAWriteAnswersNeedsNoPlace) {
  for (const auto& [queue, from, bytes] :
       {std::tuple{96, 0U, 6624U}, std::tuple{8, 8192U, 800U}, std::tuple{5, 8192U, 608U}}) {
    Config config;
    config.refresh = RefreshMode::kNone;
    config.read_queue = queue;
    const std::vector<core::MemoryRequest> load{
        {0, 1024, 32, 0, 0, true, core::Traffic::kOther},
        {1, from, bytes, 0, 0, false, core::Traffic::kOther},
        {2, 1024, 32, 0, 0, false, core::Traffic::kOther}};
    config.controller = ControllerKind::kOracle;
    const Outcome expected = drive_randomly(*make_channel(config, 0), load, Random(1));
    for (const ControllerKind kind : {ControllerKind::kEventDriven, ControllerKind::kFast}) {
      config.controller = kind;
      expect_same(expected, drive_randomly(*make_channel(config, 0), load, Random(1)));
      if (HasFatalFailure()) return;
    }
  }
}

// Statistics asked for in the middle of a followed transition are those of that moment.
TEST(FastPath, StatisticsDoNotRunAhead) {
  Config config;
  config.controller = ControllerKind::kFast;
  const auto fast_spec = std::make_shared<const Spec>(resolve(config));
  config.controller = ControllerKind::kEventDriven;
  const auto slow_spec = std::make_shared<const Spec>(resolve(config));
  const auto fast = make_channel(fast_spec, 0);
  const auto slow = make_channel(slow_spec, 0);
  for (std::uint64_t index = 0; index < 3'000; ++index) {
    core::MemoryRequest request;
    request.id = index;
    request.address = index * 4096;
    request.bytes = 4096;
    fast->submit(request);
    slow->submit(request);
  }
  std::vector<core::MemoryEvent> completed;
  for (core::Femtoseconds now = 0; now < 150'000 * core::kFsPerNs; now += 317 * core::kFsPerNs) {
    fast->advance(now);
    slow->advance(now);
    ASSERT_TRUE(fast->stats() == slow->stats()) << "at " << now << " fs";
    fast->take_completed(completed);
    ASSERT_LE(fast->next_event(), now + 1'000 * core::kFsPerNs);
    ASSERT_GE(fast->next_event(), now - core::kFsPerNs);
  }
}

}  // namespace
}  // namespace ridgepoint::dram
