// SPDX-License-Identifier: Apache-2.0
// The program without main(): arguments in, exit code out, so that tests can call it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace ridgepoint::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;      // a check or a point
inline constexpr int kBadInput = 2;    // usage or input
inline constexpr int kSimulation = 3;  // the simulation cannot go on, or a defect

// Never throws. An error is one line on `err`: "ridgepoint: error: ...".
int run_program(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace ridgepoint::cli
