// SPDX-License-Identifier: Apache-2.0
// Time of a kernel family against one size, remembered at few points. Small sizes stream the
// weights whatever the size; large ones compute in proportion to it. Such a curve lies between the
// chord of two points and the lines that continue its neighbours: the middle of both is taken.
// Beyond one pass over the weights time is counted in passes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sim/core/time.hpp"

namespace ridgepoint::workloads {

class LinearTimes {
 public:
  using Source = std::function<core::Femtoseconds(std::int64_t)>;
  // How many points: every size up to `exact`, then so many per doubling, from 1 on; 0: as few as a
  // roofline needs.
  struct Density {
    std::int64_t exact = 0;
    int per_octave = 0;
  };
  // `pass`: sizes 1 .. pass need one pass over the weights, up to 2 * pass two, and so on.
  // Where half the gap between the bounds is more than `tolerance` of the value, a point is put
  // into the middle. `saving`, if given: what a second pass of so many rows takes less than a first
  // one, where rows are cut evenly over the passes; then two passes are never asked for.
  LinearTimes(Source source, std::int64_t pass, Density density, double tolerance,
              Source saving = {});

  double at(std::int64_t size);  // fs; size >= 1
  std::size_t points() const { return points_.size(); }
  // The points that a value may need, up to this size.
  std::vector<std::int64_t> wanted(std::int64_t largest) const;

 private:
  double time(std::int64_t size);
  double one_pass(std::int64_t size);
  double two_passes(std::int64_t size);
  double saved();

  Source source_;
  Source saving_;
  double saved_ = -1;  // not asked yet
  std::int64_t pass_;
  Density density_;
  double tolerance_;
  std::vector<std::int64_t> marks_;  // of the first pass, ascending: points made when needed
  std::map<std::int64_t, double> points_;
};

}  // namespace ridgepoint::workloads
