// SPDX-License-Identifier: Apache-2.0
// Whole sweeps as processes: the same bytes for any number of jobs, any shards and any
// interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <set>
#include <sstream>

#include "results/csv_reader.hpp"
#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

class SweepTest : public ProgramTest {
 protected:
  // Twelve points of some ten milliseconds each.
  static Arguments sweep(const Arguments& more) {
    Arguments arguments{"sweep",       "--model", "stories260K",    "--vary",
                        "batch=1:4:1", "--vary",  "context=0,16,32"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::string undisturbed() const {
    const Outcome outcome = run(sweep({"--csv", "whole.csv"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string text = slurp(folder() / "whole.csv");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 13);
    return text;
  }
  static std::set<std::string> lines_of(const std::string& text) {
    std::set<std::string> lines;
    std::istringstream in(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
  }
};

TEST_F(SweepTest, JobsAndDestinationDoNotChangeTheBytes) {
  const std::string whole = undisturbed();
  EXPECT_EQ(run(sweep({"--csv", "two.csv", "--jobs", "2"})).exit_code, 0);
  EXPECT_EQ(slurp(folder() / "two.csv"), whole);
  EXPECT_EQ(run(sweep({"--jobs", "5"})).out, whole);
}

TEST_F(SweepTest, ASuiteFileSaysTheSame) {
  file("s.ini",
       "[sweep]\nof = run\ntitle = a test\n[base]\nmodel = stories260K\n[vary]\n"
       "batch = 1:4:1\ncontext = 0,16,32\n");
  EXPECT_EQ(run({"sweep", "s.ini"}).out, undisturbed());
}

// Every preset holds the kernels' tiles, and no step beats its roofline.
TEST_F(SweepTest, EveryMachinePresetRunsBothPhases) {
  const std::string listed = run({"list", "machines"}).out;
  std::string names;
  std::istringstream lines(listed.substr(listed.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    names += (names.empty() ? "" : ",") + line.substr(0, line.find(','));
  }
  const Outcome outcome =
      run({"sweep", "--model", "gpt2-small", "--vary", "machine=" + names, "--vary",
           "phase+tokens=decode+1,prefill+128", "--jobs", "2", "--csv", "t.csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << slurp(folder() / "t.csv");
  results::CsvReader reader(folder() / "t.csv");
  std::size_t rows = 0;
  for (; reader.next(); ++rows) {
    EXPECT_GE(reader.real("time_ns"), reader.real("roofline_ns")) << reader.text("machine");
    EXPECT_GT(reader.real("roofline_ns"), 0.0);
  }
  EXPECT_GE(rows, 12U);
}

TEST_F(SweepTest, MergedShardsAreTheWholeSweep) {
  const std::string whole = undisturbed();
  for (const int shards : {2, 5}) {
    Arguments merge{"merge"};
    for (int i = shards; i >= 1; --i) {  // any order
      const std::string name = std::to_string(i) + "of" + std::to_string(shards) + ".csv";
      const std::string shard = std::to_string(i) + '/' + std::to_string(shards);
      EXPECT_EQ(run(sweep({"--shard", shard, "--csv", name})).exit_code, 0);
      merge.push_back(name);
    }
    EXPECT_EQ(run(merge).out, whole) << shards;
  }
}

// kill -9 at seeded random moments: finished rows stay, none stands twice, the end is the same.
TEST_F(SweepTest, SurvivesKillsAtRandomMoments) {
  const std::string whole = undisturbed();
  std::mt19937 random(7);
  int interrupted = 0;
  for (int round = 0; interrupted < 50; ++round) {
    ASSERT_LT(round, 60);
    const std::string name = "k" + std::to_string(round) + ".csv";
    std::set<std::string> before;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const pid_t pid = start(sweep({"--csv", name, "--jobs", "2", "--resume"}));
      usleep(std::uniform_int_distribution<unsigned>(5'000, 120'000)(random));
      kill(pid, SIGKILL);
      interrupted += finish(pid).signal == SIGKILL ? 1 : 0;
      const std::set<std::string> after = lines_of(slurp(folder() / name));
      EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
      before = after;
    }
    const Outcome outcome = run(sweep({"--csv", name, "--resume"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    ASSERT_EQ(slurp(folder() / name), whole);
    EXPECT_FALSE(std::filesystem::exists(folder() / (name + ".partial")));
  }
}

TEST_F(SweepTest, AnInterruptKeepsFinishedRowsAndSaysHowToGoOn) {
  const std::string whole = undisturbed();
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = std::to_string(signal) + ".csv";
    const pid_t pid = start(sweep({"--csv", name}));
    // Wait for the first rows, so that there is something to keep.
    while (lines_of(slurp(folder() / name)).size() < 3) usleep(1000);
    kill(pid, signal);
    const Outcome outcome = finish(pid);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("--resume"));
    EXPECT_GE(lines_of(slurp(folder() / name)).size(), 3U);
    EXPECT_EQ(run(sweep({"--csv", name, "--resume"})).exit_code, 0);
    EXPECT_EQ(slurp(folder() / name), whole);
  }
}

TEST_F(SweepTest, TwoSweepsOnOneFileAreRefused) {
  const pid_t first = start(sweep({"--csv", "t.csv"}));
  while (!std::filesystem::exists(folder() / "t.csv") || slurp(folder() / "t.csv").empty()) {
    usleep(1000);
  }
  // A second process of its own, because start() keeps only one output.
  const std::string command = "cd '" + folder().string() + "' && '" + RIDGEPOINT_PROGRAM +
                              "' sweep --model stories260K --vary batch=1:4:1 --vary "
                              "context=0,16,32 --csv t.csv --resume 2>second; test $? = 2";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(slurp(folder() / "second"), HasSubstr("is being written by another sweep"));
  EXPECT_EQ(finish(first).exit_code, 0);
}

TEST_F(SweepTest, AFailedPointIsARowAndIsRunAgain) {
  // The scratchpad of the second machine holds no tile: its point fails, the others do not.
  const Arguments arguments{
      "sweep", "--model", "stories260K", "--vary", "core.scratchpad_kib=1536,1", "--csv", "t.csv"};
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("2 of 2 points done, 1 failed"));
  const std::string text = slurp(folder() / "t.csv");
  EXPECT_THAT(text, HasSubstr(",input,"));
  EXPECT_THAT(text, HasSubstr("core.scratchpad_kib"));
  Arguments again = arguments;
  again.push_back("--resume");
  EXPECT_EQ(run(again).exit_code, 1);
  EXPECT_EQ(slurp(folder() / "t.csv"), text);
}

TEST_F(SweepTest, ATimeLimitStopsAPoint) {
  const Outcome outcome = run({"sweep", "--model", "llama-2-7b", "--phase", "prefill", "--vary",
                               "tokens=2048", "--timeout-s", "0.05"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr(",timeout,took longer than --timeout-s"));
}

TEST_F(SweepTest, ResumeRefusesFilesOfOtherSweeps) {
  EXPECT_EQ(
      run({"sweep", "--model", "stories260K", "--vary", "batch=1,2", "--csv", "t.csv"}).exit_code,
      0);
  const std::string text = slurp(folder() / "t.csv");
  const auto resume = [&](const std::string& axis) {
    const Outcome outcome =
        run({"sweep", "--model", "stories260K", "--vary", axis, "--csv", "t.csv", "--resume"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(slurp(folder() / "t.csv"), text);
    return outcome.err;
  };
  EXPECT_THAT(resume("batch=1,3"), HasSubstr("is no point of this sweep"));
  EXPECT_THAT(resume("hbm.stacks=1,2"), HasSubstr("has another header"));
  // A sweep that has grown takes the old rows over.
  EXPECT_EQ(run({"sweep", "--model", "stories260K", "--vary", "batch=3,2,1", "--csv", "t.csv",
                 "--resume"})
                .exit_code,
            0);
  EXPECT_EQ(slurp(folder() / "t.csv"),
            run({"sweep", "--model", "stories260K", "--vary", "batch=3,2,1"}).out);
}

}  // namespace
}  // namespace ridgepoint::tests
