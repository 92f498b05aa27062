// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/bind_machine.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/read_options.hpp"
#include "sim/dram/spec.hpp"
#include "sim/dram/standard.hpp"

namespace ridgepoint::config {
namespace {

Options read(std::vector<std::string> arguments) {
  return read_options({"run", arguments, 0}).options;
}

TEST(Bind, EveryPresetIsAValidMachineWhoseMemoryIsThere) {
  for (const MachinePreset& preset : machine_presets()) {
    SCOPED_TRACE(preset.name);
    const Options options = read({"--machine", std::string(preset.name)});
    EXPECT_NO_THROW(accelerator_config(options));
    EXPECT_GE(dram::resolve(dram_config(options)).total_bytes(), memory_bytes(options));
  }
}

// A constant that a preset carries over from a calibrated one is changed together with it.
TEST(Bind, ChannelsOfLaterMachinesHaveTheShareOfH100) {
  const auto share = [](const char* machine) {
    const Options options = read({"--machine", machine});
    return accelerator_config(options).channel_gb_per_s / dram_config(options).pin_rate_gbps;
  };
  for (const char* machine : {"h200", "b200"}) {
    EXPECT_NEAR(share(machine) / share("h100"), 1, 0.002) << machine;
  }
}

// A value that reaches dram::Config changes it; all keys are in the list.
TEST(Bind, EveryMemoryKeyIsRead) {
  const auto text = [](const dram::Config& c) {
    std::string joined = c.standard + ' ' + c.address_map;
    for (const double value : {double(c.stacks),
                               double(c.channels_per_stack),
                               c.pin_rate_gbps,
                               c.target_gb_per_s,
                               double(c.stack_capacity_bytes),
                               double(c.stack_ids),
                               double(c.interleave_bytes),
                               double(c.interleave_hash),
                               double(c.bank_hash),
                               double(c.read_queue),
                               double(c.write_queue),
                               double(c.write_high),
                               double(c.write_low),
                               double(c.scheduler),
                               double(c.hit_cap),
                               double(c.row_policy),
                               c.row_timeout_ns,
                               double(c.refresh),
                               double(c.refresh_postpone),
                               double(c.controller)}) {
      joined += ' ' + std::to_string(value);
    }
    for (const auto& [name, value] : c.energy) joined += ' ' + name + std::to_string(value);
    for (const auto& [name, ns] : c.timing_ns) joined += ' ' + name + std::to_string(ns);
    return joined;
  };
  const std::string map(dram::find_standard("HBM3").default_map);
  const std::vector<std::pair<std::string, std::string>> changes{
      {"hbm.stacks", "4"},
      {"hbm.channels_per_stack", "8"},
      {"hbm.pin_rate_gbps", "6.4"},
      {"hbm.target_gb_per_s", "4000"},
      {"hbm.stack_capacity_bytes", "17179869184"},
      {"hbm.stack_ids", "1"},
      {"hbm.interleave_bytes", "512"},
      {"hbm.interleave_hash", "false"},
      {"hbm.address_map", map},
      {"hbm.bank_hash", "false"},
      {"hbm.read_queue", "32"},
      {"hbm.write_queue", "128"},
      {"hbm.write_high", "40"},
      {"hbm.write_low", "8"},
      {"hbm.scheduler", "fcfs"},
      {"hbm.hit_cap", "16"},
      {"hbm.row_policy", "closed"},
      {"hbm.row_timeout_ns", "200"},
      {"hbm.refresh", "per-bank"},
      {"hbm.refresh_postpone", "4"},
      {"hbm.timing", "tRFC=300"},
      {"hbm.energy", "eACT=0.9"},
      {"hbm.controller", "oracle"},
  };
  const std::string base = text(dram_config(read({})));
  for (const auto& [key, value] : changes) {
    SCOPED_TRACE(key);
    EXPECT_NE(text(dram_config(read({"--" + key, value}))), base);
  }
  // The standard needs a rate of its own.
  const Options hbm2 =
      read({"--hbm.standard", "hbm2", "--hbm.pin_rate_gbps", "2", "--hbm.channels_per_stack", "8"});
  EXPECT_EQ(dram::resolve(dram_config(hbm2)).standard->name, "HBM2");
  std::size_t keys = 0;
  for (const OptionRef& option : all_options()) keys += option.row->key.starts_with("hbm.");
  EXPECT_EQ(changes.size() + 1, keys) << "a key of the memory is not in this test";
}

TEST(Bind, TheDefaultQueuesAreThoseOfTheStruct) {
  const dram::Config options = dram_config(read({}));
  const dram::Config library;
  EXPECT_EQ(options.read_queue, library.read_queue);
  EXPECT_EQ(options.write_queue, library.write_queue);
  EXPECT_EQ(options.write_high, library.write_high);
  EXPECT_EQ(options.write_low, library.write_low);
}

TEST(Bind, TheLaterBandwidthWinsAndTwoOfOneSourceContradict) {
  const dram::Config config = dram_config(read({"--hbm.target_gb_per_s", "4000"}));
  EXPECT_EQ(config.pin_rate_gbps, 0);
  EXPECT_NEAR(dram::resolve(config).peak_gb_per_s, 4000, 0.01);
  EXPECT_THROW(dram_config(read({"--hbm.target_gb_per_s", "4000", "--hbm.pin_rate_gbps", "5"})),
               core::InputError);
  EXPECT_THROW(dram_config(read({"--hbm.timing", "tNONE=3"})), core::InputError);
  EXPECT_THROW(dram_config(read({"--hbm.timing", "tRFC=x"})), core::InputError);
  EXPECT_THROW(dram_config(read({"--hbm.energy", "eNONE=3"})), core::InputError);
  EXPECT_THROW(dram_config(read({"--hbm.energy", "eACT=-1"})), core::InputError);
  for (const char* key : {"--hbm.energy", "--hbm.timing"}) {
    try {
      dram_config(read({key, "=1"}));
      ADD_FAILURE() << key;
    } catch (const core::InputError& error) {
      EXPECT_NE(std::string(error.what()).find("'=1', which is not 'name=number'"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(dram_config(read({"--hbm.standard", "DDR99"})), core::InputError);
  EXPECT_THROW(dram_config(read({"--hbm.pin_rate_gbps", "99"})), core::InputError);
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
      {"core.tile_rows", "64"},
      {"fabric.piece_bytes", "2048"},
      {"fabric.credits", "16"},
      {"core.sustained_ratio", "0.9"},
      {"core.boost_ns", "100000"},
      {"core.special_lanes", "16"},
      {"core.blocks", "1"},
      {"core.block_ns", "100"},
      {"core.engines_alternate", "true"},
      {"shared.is_cache", "true"},
      {"fabric.channel_gb_per_s", "20"},
      {"host.attention_setup_ns", "500"},
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
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("machine 'teaching-80g': '--fabric.sync_latency"));
  }
}

}  // namespace
}  // namespace ridgepoint::config
