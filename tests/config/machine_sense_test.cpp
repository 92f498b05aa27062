// SPDX-License-Identifier: Apache-2.0
// Machines that make no sense: the error names the options that contradict each other, their values
// and what would work; what it says would work does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "sim/config/bind_machine.hpp"
#include "sim/config/machines.hpp"
#include "sim/config/read_options.hpp"

namespace ridgepoint::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of(std::vector<std::string> arguments) {
  try {
    machine_config(read_options({"run", arguments}).options);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MachineSense, AccumulatorsLargerThanTheScratchpad) {
  EXPECT_THAT(message_of({"--core.accumulator_kib", "2048"}),
              AllOf(HasSubstr("core.accumulator_kib"), HasSubstr("2048 KiB"),
                    HasSubstr("core.scratchpad_kib (1536 KiB)"), HasSubstr("at most 1536 KiB"),
                    HasSubstr("a scratchpad of 2048 KiB or more")));
  EXPECT_EQ(message_of({"--core.accumulator_kib", "1536"}), "");
  EXPECT_EQ(message_of({"--core.accumulator_kib", "2048", "--core.scratchpad_kib", "2048"}), "");
}

TEST(MachineSense, AScratchpadTooSmallForTheArraysTiles) {
  EXPECT_THAT(message_of({"--core.scratchpad_kib", "100"}),
              AllOf(HasSubstr("core.scratchpad_kib"), HasSubstr("100 KiB"),
                    HasSubstr("core.matrix_rows x core.matrix_cols (128 x 128)"),
                    HasSubstr("148 KiB or more")));
  EXPECT_EQ(message_of({"--core.scratchpad_kib", "148", "--core.accumulator_kib", "64"}), "");
  EXPECT_THAT(message_of({"--core.accumulator_kib", "8"}),
              AllOf(HasSubstr("core.accumulator_kib"), HasSubstr("core.matrix_cols (128)"),
                    HasSubstr("16 KiB or more")));
  EXPECT_EQ(message_of({"--core.accumulator_kib", "16"}), "");
}

TEST(MachineSense, NoPorts) {
  EXPECT_THAT(message_of({"--core.port_bytes_per_cycle", "0"}),
              AllOf(HasSubstr("port_bytes_per_cycle"), HasSubstr("'0'"), HasSubstr("1 .. 65536")));
  EXPECT_THAT(message_of({"--fabric.credits", "0"}), HasSubstr("1 .. 65536"));
  EXPECT_THAT(message_of({"--hbm.stacks", "0"}), HasSubstr("1 .. 1024"));
}

TEST(MachineSense, QueuesSmallerThanAPiece) {
  EXPECT_THAT(message_of({"--core.load_queue_bytes", "1024"}),
              AllOf(HasSubstr("core.load_queue_bytes"), HasSubstr("fabric.piece_bytes"),
                    HasSubstr("4096 or more")));
  EXPECT_THAT(message_of({"--fabric.sync_latency_ns", "10"}),
              AllOf(HasSubstr("fabric.sync_latency_ns"),
                    HasSubstr("fabric.response_latency_ns (120)"), HasSubstr("120 or more")));
}

TEST(MachineSense, AMemoryOfLessThanARow) {
  EXPECT_THAT(message_of({"--hbm.stack_capacity_bytes", "1048577"}),
              HasSubstr("stack_capacity_bytes"));
}

// Constants chosen with measurements in view stay few enough to be believed.
TEST(MachineSense, AtMostSixConstantsOfAMachineAreFitted) {
  int fitted_machines = 0;
  for (const MachinePreset& preset : machine_presets()) {
    std::istringstream lines{std::string(preset.text)};
    int fitted = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t mark = line.find('#');
      if (mark == 0 || mark == std::string::npos) continue;
      const std::string source = line.substr(mark);
      if (source.starts_with("# calibrated") || source.starts_with("# [M]")) ++fitted;
    }
    EXPECT_LE(fitted, 6) << preset.name;
    if (fitted > 0) ++fitted_machines;
  }
  EXPECT_EQ(fitted_machines, 2);  // a100-80g and h100; others take over shares
}

}  // namespace
}  // namespace ridgepoint::config
