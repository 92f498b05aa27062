// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says how far a sweep is; silent anywhere else.
#pragma once

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>

namespace ridgepoint::cli {

// "1h 02m", "3m 20s", "12s"
std::string duration_text(double seconds);

class Progress {
 public:
  Progress(std::ostream& err, std::size_t total, bool visible);
  ~Progress();  // clears the line
  void update(std::size_t done, std::size_t failed);

 private:
  std::ostream& err_;
  std::size_t total_;
  bool visible_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ridgepoint::cli
