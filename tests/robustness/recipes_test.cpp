// SPDX-License-Identifier: Apache-2.0
// The recipes for more than one machine, run for real: GNU parallel, and a Slurm of one node that
// the test starts and stops. Tasks are killed on the way; the merged table is that of one sweep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using Arguments = std::vector<std::string>;

class Recipes : public ProgramTest {
 protected:
  static constexpr const char* kSweep =
      "--model stories260K --vary batch=1:6:1 --vary context=0,16 --jobs 1 --quiet";

  static bool has(const std::string& tool) {
    return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
  }
  int shell(const std::string& command) const {
    return std::system(("cd '" + folder().string() + "' && export RIDGEPOINT='" +
                        RIDGEPOINT_PROGRAM + "' && (" + command + ") >log 2>&1")
                           .c_str());
  }
  static std::string recipe(const std::string& name) {
    return "'" RIDGEPOINT_SOURCE_DIR "/results/recipes/" + name + "'";
  }
  std::string whole() const {
    return run({"sweep", "--model", "stories260K", "--vary", "batch=1:6:1", "--vary",
                "context=0,16"})
        .out;
  }
  // A program that kills itself with its first shard half done, the first time it is called.
  std::string killed_once() const {
    const std::filesystem::path path =
        file("killed_once",
             "#!/usr/bin/env bash\n"
             "if [ \"$1\" = sweep ] && mkdir '" +
                 folder().string() +
                 "/was_killed' 2>/dev/null; then\n"
                 "  '" RIDGEPOINT_PROGRAM
                 "' \"$@\" & pid=$!\n"
                 "  for ((i = 0; i < 3000; i++)); do\n"
                 "    cat '" +
                 folder().string() +
                 "'/out/shard_*.csv 2>/dev/null | grep -q ',ok,' && break\n"
                 "    sleep 0.01\n"
                 "  done\n"
                 "  kill -9 $pid; kill -9 $$\n"
                 "fi\n"
                 "exec '" RIDGEPOINT_PROGRAM "' \"$@\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

TEST_F(Recipes, GnuParallelSurvivesAKilledTask) {
  if (!has("parallel")) GTEST_SKIP() << "GNU parallel is not installed";
  const std::string command =
      "RIDGEPOINT='" + killed_once() + "' " + recipe("gnu_parallel.sh") + " 3 out -j2 -- " + kSweep;
  ASSERT_EQ(shell(command), 0) << slurp(folder() / "log");
  EXPECT_TRUE(std::filesystem::exists(folder() / "was_killed"));
  EXPECT_EQ(slurp(folder() / "out/merged.csv"), whole());
  // Again: nothing is left to do, and nothing changes.
  ASSERT_EQ(shell(command), 0) << slurp(folder() / "log");
  EXPECT_EQ(slurp(folder() / "out/merged.csv"), whole());
}

TEST_F(Recipes, SlurmArraySurvivesAKilledTaskAndARequeue) {
  for (const char* tool : {"sbatch", "slurmctld", "slurmd", "munged"}) {
    if (!has(tool)) GTEST_SKIP() << "Slurm is not installed: no " << tool;
  }
  if (geteuid() != 0) GTEST_SKIP() << "slurmd needs root";
  const std::string here = folder();
  // The killed task fails, so the merge is dropped; the same command again finishes both.
  file(
      "drive.sh",
      "set -e\n"
      "submit() { " +
          recipe("slurm_array.sh") + " 3 " + here + "/$1 -- " + kSweep +
          "; }\n"
          "drain() { for ((i = 0; i < 600; i++)); do [ -z \"$(squeue -h)\" ] && return; sleep 0.2;"
          " done; squeue; return 1; }\n"
          "RIDGEPOINT='" +
          killed_once() +
          "' submit out\n"
          "drain\n"
          "test -e was_killed && test ! -e out/merged.csv\n"
          "submit out\n"
          "drain\n"
          // A task that has some rows is requeued, as when its node is taken away.
          "job=$(submit again | sed -E 's/array job ([0-9]+),.*/\\1/')\n"
          "for ((i = 0; i < 3000; i++)); do grep -qs ',ok,' again/shard_1.csv && break; sleep 0.01;"
          " done\n"
          "scontrol requeue ${job}_1\n"
          "drain\n"
          "state=$(scontrol show job ${job}_1); echo \"$state\"\n"
          "case \"$state\" in *Restarts=1*) ;; *) exit 1 ;; esac\n");
  const std::string port = std::to_string(20000 + getpid() % 20000);
  ASSERT_EQ(
      shell("'" RIDGEPOINT_SOURCE_DIR "/tests/robustness/slurm.sh' " + port + " bash drive.sh"), 0)
      << slurp(folder() / "log") << slurp(folder() / "slurmctld.log");
  EXPECT_EQ(slurp(folder() / "out/merged.csv"), whole()) << slurp(folder() / "log");
  EXPECT_EQ(slurp(folder() / "again/merged.csv"), whole()) << slurp(folder() / "log");
}

TEST_F(Recipes, BadUseSaysWhatIsWanted) {
  for (const char* name : {"slurm_array.sh", "gnu_parallel.sh"}) {
    for (const char* words : {"", "0 out -- x", "3 out x y", "a b -- c"}) {
      EXPECT_NE(shell(recipe(name) + ' ' + words), 0) << name << ' ' << words;
      EXPECT_NE(slurp(folder() / "log"), "");
    }
  }
}

}  // namespace
}  // namespace ridgepoint::tests
