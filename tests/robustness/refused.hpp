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
  ::testing::AssertionResult is_refused(const Case& one) const {
    file("in.ini", one.ini);
    const std::vector<std::string> before = names_in_folder();
    const Outcome outcome = run(one.arguments);
    const std::string& err = outcome.err;
    const bool is_one_line = !err.empty() && err.find('\n') == err.size() - 1;
    if (outcome.exit_code == 2 && outcome.out.empty() && is_one_line &&
        err.starts_with("ridgepoint: error: ") && err.find(one.message) != std::string::npos &&
        names_in_folder() == before) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "exit code " << outcome.exit_code << ", wanted one line with '" << one.message
           << "' on standard error and nothing else, got\n"
           << err << "and on standard output\n"
           << outcome.out << "and files " << ::testing::PrintToString(names_in_folder());
  }
};

}  // namespace ridgepoint::tests
