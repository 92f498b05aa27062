// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/address_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/dram/spec.hpp"
#include "sim/dram/standard.hpp"

namespace ridgepoint::dram {
namespace {

TEST(AddressMap, IsOneToOne) {
  for (const char* map : {"", "row col sid bank bg pc", "row pc sid bank col bg"}) {
    for (const bool hash : {false, true}) {
      Config config;
      config.address_map = map;
      config.bank_hash = hash;
      config.stack_ids = 2;
      const Spec spec = resolve(config);
      const AddressMap addresses(spec);
      for (std::int64_t burst = 0; burst < 400'000; burst += 7) {
        ASSERT_EQ(addresses.encode(addresses.decode(burst)), burst);
      }
    }
  }
}

// What the map says of runs and cycles, beside what decode() gives for every burst of a stretch.
void check_cycles(const AddressMap& map) {
  const int run = map.run_bursts();
  const int runs = map.cycle_runs();
  const int cycle = map.cycle_bursts();
  ASSERT_EQ(cycle % (run * runs), 0);
  for (std::int64_t first = 0; first < 64 * cycle; first += cycle) {
    std::map<int, DramAddress> latest;  // by bank
    for (std::int64_t burst = first; burst < first + cycle; ++burst) {
      const DramAddress at = map.decode(burst);
      const auto before = latest.find(at.bank);
      const bool begins = burst - first < run * runs && burst % run == 0;
      ASSERT_EQ(before == latest.end(), begins) << "burst " << burst;
      if (!begins) {
        ASSERT_EQ(at.row, before->second.row);
        ASSERT_EQ(at.column, before->second.column + 1);
      }
      ASSERT_EQ(map.encode(at), burst);
      latest[at.bank] = at;
    }
    ASSERT_EQ(latest.size(), static_cast<std::size_t>(runs));
  }
}

TEST(AddressMap, RunsTakeTheBanksOfACycleInTurn) {
  for (const char* order : {"", "row bank bg sid pc col", "row col sid bank bg pc",
                            "row col:1 bank pc sid col bg", "row pc sid bank col bg"}) {
    for (const bool hash : {false, true}) {
      for (const Standard* standard : all_standards()) {
        SCOPED_TRACE(std::string(standard->name) + " '" + order + "'");
        Config config;
        config.standard = std::string(standard->name);
        config.address_map = order;
        config.bank_hash = hash;
        const Spec spec = resolve(config);
        check_cycles(AddressMap(spec));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(AddressMap, PlacesTellHowFarColumnsAreApart) {
  Config config;
  config.address_map = "row col:1 bank pc sid col bg";
  const Spec spec = resolve(config);
  const AddressMap map(spec);
  for (std::int64_t burst = 0; burst < 20'000; ++burst) {
    const DramAddress at = map.decode(burst);
    if (at.column == 0) continue;
    const std::int64_t before = map.encode({at.bank, at.row, at.column - 1});
    ASSERT_EQ(burst - before, map.places()[at.column] - map.places()[at.column - 1]);
  }
}

}  // namespace
}  // namespace ridgepoint::dram
