// SPDX-License-Identifier: Apache-2.0
// The three ways Ridgepoint fails, each with its exit code. Library code throws; only main() exits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ridgepoint::core {

// Bad usage or bad input (exit 2). The text is one line: where, which key, which value, what is
// accepted.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A check on results failed (exit 1).
class CheckError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The simulation itself cannot go on, for example a deadlock (exit 3).
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where a bad input stands. line and column are 1-based; 0 means "not known".
struct Location {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

// "file:line:column: key 'K': value 'V' WHAT; accepted: ACCEPTED" with the unknown parts left out.
std::string describe(const Location& where, const std::string& key, const std::string& value,
                     const std::string& what, const std::string& accepted);

[[noreturn]] void fail_input(const Location& where, const std::string& key,
                             const std::string& value, const std::string& what,
                             const std::string& accepted);

}  // namespace ridgepoint::core
