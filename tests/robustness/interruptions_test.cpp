// SPDX-License-Identifier: Apache-2.0
// A sweep disturbed from outside: signals of every kind at seeded random moments, a full disk, a
// file size limit, a target that has become read-only, two sweeps that want one file. A finished
// row is never lost or doubled, and --resume ends with the bytes of an undisturbed run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

struct Unmount {
  std::string path;
  ~Unmount() { umount2(path.c_str(), MNT_DETACH); }
};

class Interruptions : public ProgramTest {
 protected:
  static Arguments sweep(const Arguments& more) {
    Arguments all{"sweep",       "--model", "stories260K",     "--vary",
                  "batch=1:4:1", "--vary",  "context=0,16,32", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static std::string sweep_text(const std::string& csv) {
    std::string text = std::string("'") + RIDGEPOINT_PROGRAM + '\'';
    for (const std::string& word : sweep({"--csv", csv})) text += " '" + word + '\'';
    return text;
  }
  // Whole lines; a torn last one is none yet.
  static std::multiset<std::string> lines_of(const std::string& text) {
    std::multiset<std::string> lines;
    std::istringstream in(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
  }
  static bool includes(const std::multiset<std::string>& all,
                       const std::multiset<std::string>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  }
};

TEST_F(Interruptions, SignalsOfEveryKindAtRandomMoments) {
  // How long it takes here and now: moments are drawn from that.
  const auto begin = std::chrono::steady_clock::now();
  const std::string whole = run(sweep({"--jobs", "2"})).out;
  const auto length = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const std::multiset<std::string> all = lines_of(whole);
  ASSERT_EQ(all.size(), 13U);
  std::mt19937 random(2026);
  const int kinds[] = {SIGKILL, SIGINT, SIGTERM};
  int interrupted = 0;
  int partly = 0;  // interruptions that found some rows, but not all
  for (int round = 0; interrupted < 51; ++round) {
    ASSERT_LT(round, 200) << "the sweep is too fast to be interrupted";
    const std::string name = "s" + std::to_string(round) + ".csv";
    std::multiset<std::string> before;
    for (int attempt = 0; attempt < 6; ++attempt) {
      const int signal = kinds[interrupted % 3];
      const pid_t pid = start(sweep({"--csv", name, "--jobs", "2", "--resume"}));
      usleep(static_cast<unsigned>(std::uniform_real_distribution<>(0.05, 0.9)(random) *
                                   std::min(6e6, static_cast<double>(length.count()))));
      kill(pid, signal);
      const Outcome outcome = finish(pid);
      // KILL ends it; the others let it say so, unless they come before its first line or after
      // its last.
      const bool stopped = outcome.signal == signal || outcome.exit_code == 1;
      EXPECT_TRUE(stopped || outcome.exit_code == 0) << outcome.exit_code << outcome.err;
      interrupted += stopped ? 1 : 0;
      const std::multiset<std::string> after = lines_of(slurp(folder() / name));
      EXPECT_TRUE(includes(after, before)) << "a finished row is lost";
      EXPECT_TRUE(includes(all, after)) << "a row is doubled or wrong";
      partly += stopped && after.size() > 1 && after.size() < all.size() ? 1 : 0;
      before = after;
    }
    const Outcome outcome = run(sweep({"--csv", name, "--resume"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    ASSERT_EQ(slurp(folder() / name), whole);
  }
  EXPECT_GT(partly, 0);
}

// A file system of two pages, which the table outgrows.
TEST_F(Interruptions, AFullDiskAndAReadOnlyOne) {
  const std::string whole = run(sweep({})).out;
  const std::string disk = folder() / "disk";
  std::filesystem::create_directory(disk);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=8k") != 0) {
    GTEST_SKIP() << "no right to mount a small file system";
  }
  const Unmount unmount{disk};
  const auto remount = [&](unsigned long flags, const char* size) {
    ASSERT_EQ(mount("none", disk.c_str(), "tmpfs", MS_REMOUNT | flags, size), 0);
  };
  const Arguments resume = sweep({"--csv", "disk/t.csv", "--resume"});
  const Outcome full = run(resume);
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("disk/t.csv: cannot be written: No space left on device"));
  const std::string kept = slurp(disk + "/t.csv");
  EXPECT_GT(lines_of(kept).size(), 2U);
  EXPECT_TRUE(includes(lines_of(whole), lines_of(kept)));
  EXPECT_EQ(kept.back(), '\n') << "half a row was left";
  remount(MS_RDONLY, "size=8k");
  const Outcome fixed = run(resume);
  EXPECT_EQ(fixed.exit_code, 2);
  EXPECT_THAT(fixed.err, HasSubstr("cannot be written: Read-only file system"));
  EXPECT_EQ(slurp(disk + "/t.csv"), kept);
  remount(0, "size=1m");
  EXPECT_EQ(run(resume).exit_code, 0);
  EXPECT_EQ(slurp(disk + "/t.csv"), whole);
}

TEST_F(Interruptions, AFileSizeLimit) {
  const std::string whole = run(sweep({})).out;
  const std::string command = "cd '" + folder().string() + "' && ulimit -f 8 && " +
                              sweep_text("t.csv") + " 2>err; test $? = 2";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(slurp(folder() / "err"), HasSubstr("t.csv: cannot be written: File too large"));
  EXPECT_TRUE(includes(lines_of(whole), lines_of(slurp(folder() / "t.csv"))));
  EXPECT_EQ(run(sweep({"--csv", "t.csv", "--resume"})).exit_code, 0);
  EXPECT_EQ(slurp(folder() / "t.csv"), whole);
}

TEST_F(Interruptions, OfManySweepsOnOneFileOneWritesIt) {
  const std::string whole = run(sweep({})).out;
  const std::string one = sweep_text("t.csv") + " --resume";
  std::string command = "cd '" + folder().string() + "'; ";
  for (int i = 0; i < 4; ++i) {
    command +=
        "(" + one + " 2>err" + std::to_string(i) + "; echo $? >rc" + std::to_string(i) + ") & ";
  }
  EXPECT_EQ(std::system((command + "wait").c_str()), 0);
  int finished = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string code = slurp(folder() / ("rc" + std::to_string(i)));
    finished += code == "0\n" ? 1 : 0;
    if (code == "0\n") continue;
    EXPECT_EQ(code, "2\n");
    EXPECT_THAT(slurp(folder() / ("err" + std::to_string(i))),
                HasSubstr("is being written by another sweep"));
  }
  EXPECT_GE(finished, 1);
  EXPECT_EQ(slurp(folder() / "t.csv"), whole);
}

// A long trace of commands is written beside its place: a signal takes it away and says so.
TEST_F(Interruptions, ASignalLeavesNoUnannouncedPieceOfAFile) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t pid =
        start({"dram", "--bytes", "40000000000", "--command-trace", "c.txt", "--csv", "d.csv"});
    while (names_in_folder().empty()) usleep(1000);
    usleep(100'000);
    kill(pid, signal);
    const Outcome outcome = finish(pid);
    EXPECT_EQ(outcome.signal, signal);
    EXPECT_THAT(outcome.err, HasSubstr("unfinished files are removed"));
    EXPECT_EQ(names_in_folder(), Arguments{});
  }
}

// What stands under its own name is whole, whatever ended the command; only KILL leaves a piece,
// and under another name. The next run is as good as the first.
TEST_F(Interruptions, ServeAndValidateLeaveWholeTablesOrNone) {
  std::string requests = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (int i = 0; i < 600; ++i) requests += std::to_string(i) + ",20,10\n";
  file("t.csv", requests);
  std::filesystem::create_directories(folder() / "m");
  std::string measured = "machine,engine,dtype,m,n,k,latency_us\n";
  for (int m = 1; m < 20; ++m) {
    measured += "teaching-80g,e,bfloat16," + std::to_string(m) + ",1024,1024,40\n";
  }
  file("m/gemm.csv", measured);
  const auto outputs = [&] {
    Arguments names = names_in_folder();
    std::erase_if(names, [](const std::string& name) { return !name.starts_with('o'); });
    return names;
  };
  const std::vector<Arguments> commands{
      {"serve", "--model", "stories260K", "--trace", "t.csv", "--quiet", "--csv", "o1.csv",
       "--requests-csv", "o2.csv", "--steps-csv", "o3.csv"},
      {"validate", "--measured", "m", "--quiet", "--csv", "o1.csv", "--summary-csv", "o2.csv"}};
  for (const Arguments& command : commands) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(run(command).exit_code, 0);
    const double us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    std::map<std::string, std::string> whole;
    for (const std::string& name : outputs()) whole[name] = slurp(folder() / name);
    int cut = 0;
    for (int round = 0; round < 10; ++round) {
      for (const std::string& name : outputs()) std::filesystem::remove(folder() / name);
      const int signal = round % 2 == 0 ? SIGKILL : SIGTERM;
      const pid_t pid = start(command);
      usleep(static_cast<unsigned>(us * (round + 1) / 12));
      kill(pid, signal);
      cut += finish(pid).signal == signal ? 1 : 0;
      for (const std::string& name : outputs()) {
        const bool partial = name.find(".partial.") != std::string::npos;
        EXPECT_TRUE(!partial || signal == SIGKILL) << name;
        if (!partial) {
          EXPECT_EQ(slurp(folder() / name), whole[name]) << name;
        }
      }
    }
    EXPECT_GT(cut, 4) << command.front();
    EXPECT_EQ(run(command).exit_code, 0);
    for (const auto& [name, text] : whole) EXPECT_EQ(slurp(folder() / name), text) << name;
    for (const std::string& name : outputs()) std::filesystem::remove(folder() / name);
  }
}

// Minutes of simulated time in a few lines of a trace: it does not look as if it hung.
TEST_F(Interruptions, ALongIdleTraceSaysHowFarItIs) {
  std::string lines;
  for (int s = 0; s < 60; ++s) lines += "0 R " + std::to_string(s) + "000000000\n";
  file("t.txt", lines);
  const std::string command = "cd '" + folder().string() + "' && timeout 60 '" +
                              RIDGEPOINT_PROGRAM + "' dram --trace t.txt 2>err & " +
                              "for i in $(seq 400); do grep -q 'still running' '" +
                              folder().string() + "/err' && break; sleep 0.1; done; kill $!";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(slurp(folder() / "err"), HasSubstr("ms of simulated time so far"));
}

}  // namespace
}  // namespace ridgepoint::tests
