// SPDX-License-Identifier: Apache-2.0
// The file of a sweep under kill -9 at any byte and any moment, full disks and a second writer.
#include "results/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "results/csv_writer.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::results {
namespace {

using ::testing::HasSubstr;
using Cells = std::vector<std::string>;

const Cells kHeader{"config_sha256", "value", "status"};

Cells row(int i) {
  // Some rows need quotes, some are long.
  return {"sha" + std::to_string(1000 + i), i % 3 == 0 ? "a, \"b\"" : std::string(40, 'x'), "ok"};
}

class LedgerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("ridgepoint_ledger_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "t.csv";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  // Appends the rows that are not there yet and puts the file in order: what a sweep does.
  void complete(int rows) const {
    Ledger ledger(path_, kHeader, true);
    std::vector<Cells> all;
    for (int i = 0; i < rows; ++i) {
      all.push_back(row(i));
      if (ledger.finished().count(row(i)[0]) == 0) ledger.append(row(i));
    }
    ledger.replace(all);
  }
  static std::string undisturbed(int rows) {
    std::string text = csv_line(kHeader);
    for (int i = 0; i < rows; ++i) text += csv_line(row(i));
    return text;
  }
  std::string error_of_open(bool resume) const {
    try {
      Ledger ledger(path_, kHeader, resume);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "no error";
  }
  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(LedgerTest, IsRepairedWhereverItWasCut) {
  const std::string whole = undisturbed(4);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    put(whole.substr(0, cut));
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<long>(cut), '\n');
    {
      const Ledger ledger(path_, kHeader, true);
      EXPECT_EQ(static_cast<long>(ledger.finished().size()), std::max(0L, lines - 1)) << cut;
    }
    complete(4);
    ASSERT_EQ(text(), whole) << cut;
  }
}

// 60 seeded kills: no finished row is lost, none stands twice, and the end is the same bytes.
TEST_F(LedgerTest, SurvivesKillsAtRandomMoments) {
  static constexpr int kRows = 400;
  std::mt19937 random(2024);
  int interrupted = 0;
  for (int kill_number = 0; kill_number < 60; ++kill_number) {
    std::filesystem::remove(path_);
    std::size_t before = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const pid_t child = fork();
      if (child == 0) {
        try {
          complete(kRows);
        } catch (...) {
          _exit(1);
        }
        _exit(0);
      }
      usleep(std::uniform_int_distribution<unsigned>(0, 3000)(random));
      kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      interrupted += WIFSIGNALED(status) ? 1 : 0;
      const Ledger ledger(path_, kHeader, true);
      EXPECT_GE(ledger.finished().size(), before);
      before = ledger.finished().size();
    }
    complete(kRows);
    ASSERT_EQ(text(), undisturbed(kRows));
  }
  EXPECT_GE(interrupted, 50) << "the kills came too late to interrupt anything";
}

TEST_F(LedgerTest, FailedRowsAreRunAgain) {
  put("config_sha256,value,status\nsha1000,bad,crash\nsha1001," + std::string(40, 'x') + ",ok\n");
  const Ledger ledger(path_, kHeader, true);
  EXPECT_EQ(ledger.finished().size(), 1U);
  EXPECT_EQ(text(), "config_sha256,value,status\nsha1001," + std::string(40, 'x') + ",ok\n");
}

TEST_F(LedgerTest, OnlyItsOwnFileIsTouched) {
  put("other,header\n1,2\n");
  EXPECT_THAT(error_of_open(true), HasSubstr("has another header"));
  EXPECT_THAT(error_of_open(false), HasSubstr("exists and is not empty"));
  EXPECT_EQ(text(), "other,header\n1,2\n");
  put(undisturbed(2));
  EXPECT_THAT(error_of_open(false), HasSubstr("--resume"));
  put(csv_line(kHeader) + "sha1000,x\n");
  EXPECT_THAT(error_of_open(true), HasSubstr("t.csv:2: row has 2 cells"));
  put(csv_line(kHeader) + "a,1,ok\na,2,ok\n");
  EXPECT_THAT(error_of_open(true), HasSubstr("t.csv:3: 'config_sha256': value 'a' stands twice"));
}

TEST_F(LedgerTest, ASecondWriterIsRefused) {
  Ledger ledger(path_, kHeader, false);
  EXPECT_THAT(error_of_open(true), HasSubstr("is being written by another sweep"));
  ledger.append(row(0));
  EXPECT_THAT(error_of_open(true), HasSubstr("is being written by another sweep"));
  ledger.replace(std::vector<Cells>{row(0)});
  EXPECT_THAT(error_of_open(true), HasSubstr("is being written by another sweep"));
}

// A file size limit acts like a full disk: write() stores a part of the row and then fails.
TEST_F(LedgerTest, ARowThatDoesNotFitLeavesNothing) {
  const std::string whole = undisturbed(3);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{whole.size() + 10, whole.size() + 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Ledger ledger(path_, kHeader, false);
      for (int i = 0; i < 4; ++i) ledger.append(row(i));
    } catch (const core::InputError& error) {
      _exit(std::string(error.what()).find("File too large") != std::string::npos ? 42 : 1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(text(), whole);
}

TEST_F(LedgerTest, PlacesThatCannotBeWrittenAreNamed) {
  path_ = folder_ / "no" / "t.csv";
  EXPECT_THAT(error_of_open(false), HasSubstr("No such file or directory"));
  path_ = "/dev/full";
  EXPECT_THAT(error_of_open(false), HasSubstr("is no regular file"));
  path_ = folder_;
  EXPECT_THAT(error_of_open(false), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace ridgepoint::results
