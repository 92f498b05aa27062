// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/bind_machine.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/read_options.hpp"

namespace ridgepoint::config {
namespace {

Options read(std::vector<std::string> arguments) {
  return read_options({"run", arguments, 0}).options;
}

TEST(Bind, EveryPresetIsAValidMachine) {
  for (const MachinePreset& preset : machine_presets()) {
    EXPECT_NO_THROW(accelerator_config(read({"--machine", std::string(preset.name)})))
        << preset.name;
  }
}

// Each key reaches its own field: one changed option changes the struct.
TEST(Bind, EveryAcceleratorKeyIsRead) {
  const std::vector<std::pair<std::string, std::string>> changes{
      {"core.count", "17"},
      {"core.clock_mhz", "1600.5"},
      {"core.matrix_rows", "64"},
      {"core.matrix_cols", "64"},
      {"core.fp32_rate", "0.125"},
      {"core.fp8_rate", "4"},
      {"core.int8_rate", "4"},
      {"core.vector_lanes", "256"},
      {"core.scratchpad_kib", "2048"},
      {"core.accumulator_kib", "512.5"},
      {"core.load_queue_bytes", "262144"},
      {"core.store_queue_bytes", "262144"},
      {"core.port_bytes_per_cycle", "256"},
      {"shared.size_kib", "32768"},
      {"shared.bytes_per_cycle", "4096"},
      {"shared.latency_ns", "50"},
      {"fabric.request_latency_ns", "100"},
      {"fabric.response_latency_ns", "100"},
      {"fabric.sync_latency_ns", "300"},
      {"fabric.piece_bytes", "2048"},
      {"fabric.credits", "16"},
      {"host.launch_ns", "2000"},
  };
  const accel::AcceleratorConfig base = accelerator_config(read({}));
  for (const auto& [key, value] : changes) {
    SCOPED_TRACE(key);
    const accel::AcceleratorConfig changed = accelerator_config(read({"--" + key, value}));
    EXPECT_TRUE(changed != base);
  }
  std::size_t keys = 0;
  for (const OptionRef& option : all_options()) {
    const std::string_view key = option.row->key;
    keys += option.group->machine && !key.starts_with("hbm.") && !key.starts_with("machine.");
  }
  EXPECT_EQ(changes.size(), keys) << "a key of the accelerator is not in this test";
}

TEST(Bind, TheTeachingMachineIsTheDefaultOfTheStruct) {
  EXPECT_TRUE(accelerator_config(read({})) == accel::AcceleratorConfig{});
  EXPECT_EQ(memory_bytes(read({})), std::int64_t{80} << 30);
}

TEST(Bind, ConflictsNameTheMachineAndTheKey) {
  try {
    accelerator_config(read({"--fabric.sync_latency_ns", "1"}));
    FAIL() << "no error";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("machine 'teaching-80g': 'fabric.sync_latency"));
  }
}

}  // namespace
}  // namespace ridgepoint::config
