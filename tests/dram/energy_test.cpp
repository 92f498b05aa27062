// SPDX-License-Identifier: Apache-2.0
// Energy beside closed forms: what a bit costs when rows are used whole, and when each burst opens
// its own.
#include "sim/dram/energy.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/dram/support.hpp"

namespace ridgepoint::dram {
namespace {

using namespace testing;

struct Driven {
  std::shared_ptr<const Spec> spec;
  Outcome outcome;
  Energy energy;
  double bits() const { return 8.0 * static_cast<double>(outcome.stats.pin_bytes()); }
};

Driven run(Config config, const Pattern& pattern, std::uint32_t channel = 0) {
  Driven result;
  result.spec = std::make_shared<const Spec>(resolve(config));
  result.outcome = drive(*make_channel(result.spec, static_cast<int>(channel)),
                         requests_of(*result.spec, pattern, static_cast<int>(channel)));
  result.energy = energy_of(*result.spec, result.outcome.stats);
  return result;
}

class EveryStandardsEnergy : public ::testing::TestWithParam<const Standard*> {
 protected:
  Config config() const {
    Config config;
    config.standard = std::string(GetParam()->name);
    config.refresh = RefreshMode::kNone;
    return config;
  }
  // One channel of one pseudo-channel's worth of whole rows per bank index.
  Pattern whole_rows(bool write) const {
    const Spec spec = resolve(config());
    const auto bytes = static_cast<std::uint64_t>(spec.geometry.columns) *
                       static_cast<std::uint64_t>(spec.geometry.burst_bytes) *
                       static_cast<std::uint64_t>(spec.geometry.total_banks()) * 2 *
                       static_cast<std::uint64_t>(spec.channels);
    Pattern pattern = sequential(bytes, 4096);
    for (Access& access : pattern) access.is_write = write;
    return pattern;
  }
};

TEST_P(EveryStandardsEnergy, HasEveryNameWithASource) {
  const std::vector<std::string_view> names{"eACT", "eRD", "eWR", "eIO", "eREF", "pSTANDBY"};
  ASSERT_EQ(GetParam()->energies.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NamedEnergy& energy = GetParam()->energies[i];
    EXPECT_EQ(energy.name, names[i]);
    EXPECT_GT(energy.value, 0) << energy.name;
    EXPECT_FALSE(energy.source.empty()) << energy.name;
  }
}

// Rows used whole: column, pins, and an ACT shared by all bits of the row.
TEST_P(EveryStandardsEnergy, OfWholeRows) {
  for (const bool write : {false, true}) {
    const Driven whole = run(config(), whole_rows(write));
    const Spec& spec = *whole.spec;
    const double row_bits = 8.0 * spec.geometry.columns * spec.geometry.burst_bytes;
    const double per_bit = spec.energy(write ? "eWR" : "eRD") + spec.energy("eIO") +
                           1e3 * spec.energy("eACT") / row_bits;
    const Energy& energy = whole.energy;
    EXPECT_NEAR((energy.total() - energy.background) / whole.bits() / per_bit, 1, 0.01);
    EXPECT_EQ(write ? energy.read : energy.write, 0);
    EXPECT_EQ(energy.refresh, 0);
  }
}

// A burst per row: its bits carry the whole ACT.
TEST_P(EveryStandardsEnergy, OfSingleBurstsAtRandom) {
  const Spec machine = resolve(config());
  const auto burst = static_cast<std::uint32_t>(machine.geometry.burst_bytes);
  const Driven random =
      run(config(), uniform(4'000 * static_cast<std::uint64_t>(machine.channels),
                            static_cast<std::uint64_t>(machine.total_bytes()), burst, 5));
  const Spec& spec = *random.spec;
  const double per_bit =
      spec.energy("eRD") + spec.energy("eIO") + 1e3 * spec.energy("eACT") / (8.0 * burst);
  EXPECT_NEAR((random.energy.total() - random.energy.background) / random.bits() / per_bit, 1,
              0.01);
}

TEST_P(EveryStandardsEnergy, BackgroundIsPowerTimesTime) {
  const Driven whole = run(config(), whole_rows(false));
  const double ns = static_cast<double>(whole.outcome.stats.total_ticks) /
                    whole.spec->geometry.pseudo_channels * whole.spec->tick_clock.period_ns();
  EXPECT_NEAR(whole.energy.background, whole.spec->energy("pSTANDBY") * ns, 1e-6 * ns);
}

// However the rows are refreshed, all of them are in 32 ms.
TEST_P(EveryStandardsEnergy, RefreshPowerDoesNotDependOnTheMode) {
  for (const RefreshMode mode : refresh_modes(*GetParam())) {
    if (mode == RefreshMode::kNone) continue;
    Config c = config();
    c.refresh = mode;
    const auto spec = std::make_shared<const Spec>(resolve(c));
    const auto channel = make_channel(spec, 0);
    const double ns = 400 * 1950;
    channel->advance(static_cast<core::Femtoseconds>(ns) * core::kFsPerNs);
    const Geometry& geometry = spec->geometry;
    const double power = static_cast<double>(geometry.rows * geometry.total_banks()) *
                         spec->energy("eREF") * 1e3 / 32e6;  // pJ/ns
    EXPECT_NEAR(energy_of(*spec, channel->stats()).refresh / (power * ns), 1, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Dram, EveryStandardsEnergy, ::testing::ValuesIn(all_standards()),
                         [](const auto& row) { return std::string(row.param->name); });

Config hbm2(RefreshMode refresh = RefreshMode::kNone) {
  Config config;
  config.standard = "HBM2";
  config.refresh = refresh;
  return config;
}

// O'Connor et al., MICRO 2017: 1.51 + 1.17 + 0.80 pJ/bit, and 0.909 nJ per activated KiB.
TEST(Energy, Hbm2IsOConnorsSumAndTheActivationsShare) {
  const Driven stream = run(hbm2(), sequential(std::uint64_t{64} << 20, 4096));
  const double moved = stream.energy.read + stream.energy.io;
  EXPECT_NEAR(moved / stream.bits(), 3.48, 1e-9);
  EXPECT_NEAR((moved + stream.energy.act) / stream.bits(), 3.48 + 909.0 / 8192, 0.003);
  const Driven random = run(hbm2(), uniform(64'000, std::uint64_t{8} << 30, 32, 3));
  EXPECT_NEAR((random.energy.read + random.energy.io + random.energy.act) / random.bits(),
              3.48 + 909.0 / 256, 0.01);
}

// The currents of another public model give 60.8 nJ for a REFab.
TEST(Energy, Hbm2RefreshIsNearAnotherModels) {
  const Spec spec = resolve(hbm2(RefreshMode::kAllBank));
  const double refab = rows_per_refresh(spec, Command::kRefAb) * spec.energy("eREF") *
                       spec.geometry.banks_per_stack_id();
  EXPECT_NEAR(refab / 60.8, 1, 0.06);
}

TEST(Energy, PartsOfChannelsAddUp) {
  const Pattern pattern = sequential(std::uint64_t{4} << 20, 256, 3);
  const Driven a = run(hbm2(RefreshMode::kAllBank), pattern, 0);
  const Driven b = run(hbm2(RefreshMode::kAllBank), pattern, 1);
  const Energy both = energy_of(*a.spec, a.outcome.stats + b.outcome.stats);
  EXPECT_NEAR(both.total() / (a.energy.total() + b.energy.total()), 1, 1e-12);
  const Energy& e = both;
  EXPECT_EQ(e.total(), e.act + e.read + e.write + e.io + e.refresh + e.background);
  for (const double part : {e.act, e.read, e.write, e.io, e.refresh, e.background}) {
    EXPECT_GT(part, 0);
  }
}

TEST(Energy, AConfiguredNumberReplacesTheStandards) {
  Config config = hbm2();
  config.energy = {{"eACT", 1.818}};
  const Pattern pattern = sequential(std::uint64_t{1} << 20, 256);
  EXPECT_NEAR(run(config, pattern).energy.act / run(hbm2(), pattern).energy.act, 2, 1e-12);
  config.energy = {{"eXYZ", 1}};
  EXPECT_THROW(resolve(config), core::InputError);
}

}  // namespace
}  // namespace ridgepoint::dram
