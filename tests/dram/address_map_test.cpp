// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/address_map.hpp"

#include <gtest/gtest.h>

#include "sim/dram/spec.hpp"

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

}  // namespace
}  // namespace ridgepoint::dram
