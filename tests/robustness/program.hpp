// SPDX-License-Identifier: Apache-2.0
// The built program as a subprocess, in a folder of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ridgepoint::tests {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out;
  std::string err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + '_' + info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    base_ = std::filesystem::temp_directory_path() /
            ("ridgepoint_" + name + '_' + std::to_string(getpid()));
    std::filesystem::create_directories(folder());
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  // The program's working folder; its captured output is kept beside it.
  std::filesystem::path folder() const { return base_ / "work"; }

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder() / name, std::ios::binary) << text;
    return folder() / name;
  }

  std::vector<std::string> names_in_folder() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  pid_t start(std::vector<std::string> arguments) const {
    std::string program = RIDGEPOINT_PROGRAM;
    std::vector<char*> pointers{program.data()};
    for (std::string& one : arguments) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    const std::string out = base_ / "out";
    const std::string err = base_ / "err";
    const pid_t pid = fork();
    if (pid == 0) {
      const int in_fd = open("/dev/null", O_RDONLY);
      const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (chdir(folder().c_str()) == 0 && dup2(in_fd, 0) >= 0 && dup2(out_fd, 1) >= 0 &&
          dup2(err_fd, 2) >= 0) {
        execv(program.c_str(), pointers.data());
      }
      _exit(126);
    }
    return pid;
  }

  Outcome finish(pid_t pid) const {
    int status = 0;
    waitpid(pid, &status, 0);
    Outcome outcome;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    outcome.out = slurp(base_ / "out");
    outcome.err = slurp(base_ / "err");
    return outcome;
  }

  Outcome run(std::vector<std::string> arguments) const {
    return finish(start(std::move(arguments)));
  }

 private:
  std::filesystem::path base_;
};

}  // namespace ridgepoint::tests
