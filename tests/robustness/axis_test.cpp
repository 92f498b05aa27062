// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sim/cli/sweep/points.hpp"
#include "sim/cli/sweep/progress.hpp"
#include "sim/config/machines.hpp"
#include "workloads/models/registry.hpp"

namespace ridgepoint::cli {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> values(const std::string& name, const std::string& list) {
  std::vector<std::string> flat;
  for (const auto& tuple : parse_axis(name, list, "run", {}).values) flat.push_back(tuple.front());
  return flat;
}

TEST(Axis, ListsAndRanges) {
  EXPECT_THAT(values("batch", "1,2, 8"), ElementsAre("1", "2", "8"));
  EXPECT_THAT(values("batch", "1:10:3"), ElementsAre("1", "4", "7", "10"));
  EXPECT_THAT(values("batch", "1:9:3"), ElementsAre("1", "4", "7"));
  EXPECT_THAT(values("batch", "1:64:*4"), ElementsAre("1", "4", "16", "64"));
  EXPECT_THAT(values("batch", "1,8:10:1"), ElementsAre("1", "8", "9", "10"));
  EXPECT_THAT(values("hbm.pin_rate_gbps", "0.1:0.5:0.1"),
              ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values("hbm.pin_rate_gbps", "1.0:4:*2"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(values("phase", "prefill,decode"), ElementsAre("prefill", "decode"));
  EXPECT_THAT(values("hbm.timing", "tRP=14 tRFC=260,tRP=15"),
              ElementsAre("tRP=14 tRFC=260", "tRP=15"));
}

TEST(Axis, AllIsEveryMachineOrModel) {
  EXPECT_EQ(values("machine", "all").size(), config::machine_presets().size());
  EXPECT_EQ(values("model", "all").size(), workloads::all_models().size());
  EXPECT_THROW(values("phase", "all"), core::InputError);
}

TEST(Axis, ZippedOptionsGoTogether) {
  const Axis axis = parse_axis("phase+tokens", "prefill+512, decode+1", "run", {});
  ASSERT_EQ(axis.values.size(), 2U);
  EXPECT_THAT(axis.values[0], ElementsAre("prefill", "512"));
  EXPECT_THAT(axis.values[1], ElementsAre("decode", "1"));
}

Plan plan_of(std::vector<std::string> arguments) {
  return make_plan(config::read_options({"sweep", arguments, 1, true}));
}

TEST(Points, AreTheCrossProductWithTheLastAxisFastest) {
  const Plan plan =
      plan_of({"--vary", "batch=1,2", "--vary", "context=0,10,20", "--model", "gpt2-small"});
  const std::vector<Point> points = make_points(plan);
  ASSERT_EQ(points.size(), 6U);
  EXPECT_THAT(points[1].axis_cells, ElementsAre("1", "10"));
  EXPECT_THAT(points[3].axis_cells, ElementsAre("2", "0"));
  const config::Options options = options_of(plan, points[5]);
  EXPECT_EQ(options.integer("run.batch"), 2);
  EXPECT_EQ(options.integer("run.context"), 20);
  EXPECT_EQ(options.text("run.model"), "gpt2-small");
}

TEST(Points, RulesLeaveOutPointsAndNumbersStayDense) {
  const Plan plan = plan_of({"--vary", "phase=prefill,decode", "--vary", "batch=1,2,4", "--skip",
                             "phase=prefill batch=2:4:*2"});
  const std::vector<Point> points = make_points(plan);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_THAT(points[0].axis_cells, ElementsAre("prefill", "1"));
  EXPECT_THAT(points[1].axis_cells, ElementsAre("decode", "1"));
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i].index, i);
}

TEST(Points, AnAxisReplacesABaseOptionAndAnOlderAxis) {
  const std::string suite = ::testing::TempDir() + "replaced.ini";
  std::ofstream(suite) << "[base]\nbatch=9\ncontext=7\n"
                          "[vary]\nbatch=1,2\nphase+tokens=prefill+2,decode+1\n";
  const Plan plan = plan_of({suite, "--vary", "batch+tokens=4+8", "--context", "5"});
  const std::vector<Point> points = make_points(plan);
  ASSERT_EQ(points.size(), 1U);
  const config::Options options = options_of(plan, points[0]);
  EXPECT_EQ(options.integer("run.batch"), 4);
  EXPECT_EQ(options.integer("run.tokens"), 8);
  EXPECT_EQ(options.integer("run.context"), 5);
  EXPECT_THROW(plan_of({suite, "--batch", "3"}), core::InputError);
}

TEST(Points, OnlyOptionsWithoutAColumnGetOne) {
  const Plan plan = plan_of({"--vary", "batch=1", "--vary", "hbm.stacks=1,2"});
  ASSERT_EQ(plan.extra_options().size(), 1U);
  EXPECT_EQ(plan.extra_options()[0].row->key, "hbm.stacks");
}

TEST(Progress, DurationsAreShort) {
  EXPECT_EQ(duration_text(0.4), "0s");
  EXPECT_EQ(duration_text(59), "59s");
  EXPECT_EQ(duration_text(61), "1m 01s");
  EXPECT_EQ(duration_text(3720), "1h 02m");
}

}  // namespace
}  // namespace ridgepoint::cli
