// SPDX-License-Identifier: Apache-2.0
// Time of prompts that are attended one by one, in launches of their own (latent attention): on a
// grid of rows by context, filled where it is needed, straight in between.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "workloads/serving/kernel_times.hpp"

namespace ridgepoint::workloads {

class PromptTimes {
 public:
  using Ask = std::function<double(const AttendingSequence&)>;  // fs

  // So many points per doubling of rows and of context; sequences of up to `most_keys` in all.
  PromptTimes(Ask ask, int per_octave, std::int64_t most_keys);

  double at(const AttendingSequence& sequence);

 private:
  double point(std::int64_t rows, std::int64_t context);
  double at_rows(std::int64_t rows, std::int64_t context);

  Ask ask_;
  std::int64_t per_octave_;
  std::int64_t most_keys_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> points_;
};

}  // namespace ridgepoint::workloads
