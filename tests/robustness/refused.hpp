// SPDX-License-Identifier: Apache-2.0
// A command that must be refused, as one row of a test's table.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/robustness/program.hpp"

namespace ridgepoint::tests {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;   // part of the one line
  const char* ini = "";  // content of in.ini in the working folder
};

inline void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

inline std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

class Refused : public ProgramTest, public ::testing::WithParamInterface<Case> {
 protected:
  // One line on standard error, exit code 2, nothing on standard output, no file.
  void check(const Case& one) const {
    file("in.ini", one.ini);
    const std::vector<std::string> before = names_in_folder();
    const Outcome outcome = run(one.arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, ::testing::StartsWith("ridgepoint: error: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.err.back(), '\n');
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(one.message));
    EXPECT_EQ(names_in_folder(), before);
  }
};

}  // namespace ridgepoint::tests
