// SPDX-License-Identifier: Apache-2.0
// Generated documents: what is committed is what the program writes, and shells and roff accept it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {
namespace {

class Docs : public ProgramTest {
 protected:
  static bool has(const std::string& tool) {
    return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
  }
  int shell(const std::string& command) const {
    return std::system(("cd '" + folder().string() + "' && " + command).c_str());
  }
};

TEST_F(Docs, TheColumnDictionaryIsUpToDate) {
  const Outcome outcome = run({"docs", "columns"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(slurp(std::filesystem::path(RIDGEPOINT_SOURCE_DIR) / "results/README.md") ==
              outcome.out)
      << "remake it: ridgepoint docs columns > results/README.md";
}

TEST_F(Docs, BashCompletes) {
  file("c.bash", run({"docs", "bash"}).out);
  const auto completes = [&](const std::string& words, int index, const std::string& expected) {
    return shell("bash -c 'source ./c.bash; COMP_WORDS=(" + words +
                 "); COMP_CWORD=" + std::to_string(index) +
                 "; _ridgepoint; test \"${COMPREPLY[*]}\" = \"" + expected + "\"'") == 0;
  };
  EXPECT_TRUE(completes("ridgepoint mer", 1, "merge"));
  EXPECT_TRUE(completes("ridgepoint list mac", 2, "machines"));
  EXPECT_TRUE(completes("ridgepoint sweep --shard", 2, "--shard"));
  EXPECT_TRUE(completes("ridgepoint sweep --format mark", 3, "markdown"));
  EXPECT_TRUE(completes("ridgepoint sweep --machine teach", 3, "teaching-80g"));
  EXPECT_FALSE(completes("ridgepoint sweep --machine teach", 3, "h100"));
}

TEST_F(Docs, ZshParsesItsCompletion) {
  if (!has("zsh")) GTEST_SKIP() << "zsh is not installed";
  file("_ridgepoint", run({"docs", "zsh"}).out);
  EXPECT_EQ(shell("zsh -n _ridgepoint"), 0);
}

TEST_F(Docs, TheManualPageHasNoRoffWarnings) {
  if (!has("groff")) GTEST_SKIP() << "groff is not installed";
  file("ridgepoint.1", run({"docs", "man"}).out);
  EXPECT_EQ(shell("groff -man -Tutf8 -ww ridgepoint.1 >page 2>warnings"), 0);
  EXPECT_EQ(slurp(folder() / "warnings"), "");
  EXPECT_THAT(slurp(folder() / "page"), ::testing::HasSubstr("RIDGEPOINT(1)"));
}

TEST_F(Docs, InstallPutsProgramAndDocumentsInPlace) {
  ASSERT_EQ(shell("'" RIDGEPOINT_CMAKE "' --install '" RIDGEPOINT_BINARY_DIR
                  "' --component program --prefix . >log"),
            0)
      << slurp(folder() / "log");
  EXPECT_EQ(shell("./bin/ridgepoint --version >version"), 0);
  EXPECT_EQ(slurp(folder() / "version"), run({"--version"}).out);
  for (const char* name :
       {"share/man/man1/ridgepoint.1", "share/bash-completion/completions/ridgepoint",
        "share/zsh/site-functions/_ridgepoint"}) {
    EXPECT_GT(slurp(folder() / name).size(), 1000U) << name;
  }
}

}  // namespace
}  // namespace ridgepoint::tests
