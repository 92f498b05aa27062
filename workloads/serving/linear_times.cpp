// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/linear_times.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace ridgepoint::workloads {
namespace {

// Small batches stream the weights, whatever their size.
constexpr std::int64_t kFewMarks[] = {1, 64, 256, 512, 1024};

double chord(double x, double x0, double y0, double x1, double y1) {
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

}  // namespace

LinearTimes::LinearTimes(Source source, std::int64_t pass, Density density, double tolerance,
                         Source saving)
    : source_(std::move(source)),
      saving_(std::move(saving)),
      pass_(pass),
      density_(density),
      tolerance_(tolerance) {
  if (pass < 1 || density.per_octave < 0 || !(tolerance > 0)) {
    throw core::InputError("grid: passes, density and tolerance must be positive");
  }
  std::vector<std::int64_t> marks(std::begin(kFewMarks), std::end(kFewMarks));
  const int per_octave = density_.per_octave;
  for (std::int64_t octave = 1; per_octave > 0 && octave < pass_; octave *= 2) {
    for (int i = 0; i < per_octave; ++i) marks.push_back(octave + octave * i / per_octave);
  }
  for (std::int64_t mark = 2048; mark < pass_; mark *= 2) marks.push_back(mark);
  if (saving_) marks.push_back(pass_ / 2 + 1);  // the smallest rows of two passes
  std::erase_if(marks, [&](std::int64_t mark) { return mark >= pass_; });
  marks.push_back(pass_);
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  marks_ = std::move(marks);
}

double LinearTimes::time(std::int64_t size) {
  const auto [found, added] = points_.try_emplace(size, 0.0);
  if (added) {
    const core::Femtoseconds answer = source_(size);
    if (answer < 0) throw core::SimulationError("a kernel time is negative");
    found->second = static_cast<double>(answer);
  }
  return found->second;
}

std::vector<std::int64_t> LinearTimes::wanted(std::int64_t largest) const {
  std::vector<std::int64_t> sizes;
  if (density_.per_octave > 1) return sizes;  // cheap ones, each when it is needed
  bool covered = false;
  for (const std::int64_t mark : marks_) {
    sizes.push_back(mark);
    if (covered) return sizes;  // one more, which bounds the last span from above
    covered = mark >= largest;
  }
  if (covered || saving_) return sizes;
  sizes.insert(sizes.end(), {pass_ + 1, 2 * pass_});
  return sizes;
}

double LinearTimes::at(std::int64_t size) {
  if (size <= density_.exact || points_.contains(size)) return time(size);
  if (size <= pass_) return one_pass(size);
  const std::int64_t passes = (size + pass_ - 1) / pass_;
  if (saving_) {
    const double once = one_pass((size + passes - 1) / passes);
    return static_cast<double>(passes) * once - static_cast<double>(passes - 1) * saved();
  }
  if (passes == 2) return two_passes(size);
  // What a further pass adds, of the rows that each of these has.
  const std::int64_t rows = (size + passes - 1) / passes;
  const double once = one_pass(rows);
  const double more = std::max(0.0, two_passes(2 * rows) - once);
  return once + static_cast<double>(passes - 1) * more;
}

double LinearTimes::saved() {
  if (saved_ < 0) saved_ = std::clamp(static_cast<double>(saving_(pass_)), 0.0, time(pass_));
  return saved_;
}

double LinearTimes::two_passes(std::int64_t size) {
  const std::int64_t low = pass_ + 1;
  const std::int64_t high = 2 * pass_;
  const auto known = points_.find(size);
  if (known != points_.end()) return known->second;
  if (size <= low || low == high) return time(low);
  return chord(static_cast<double>(size), static_cast<double>(low), time(low),
               static_cast<double>(high), time(high));
}

double LinearTimes::one_pass(std::int64_t size) {
  while (true) {
    const auto next = std::lower_bound(marks_.begin(), marks_.end(), size);
    if (*next == size || next == marks_.begin()) return time(*next);
    const auto x = static_cast<double>(size);
    const auto x0 = static_cast<double>(*(next - 1)), x1 = static_cast<double>(*next);
    const double y0 = time(*(next - 1)), y1 = time(*next);
    const double upper = chord(x, x0, y0, x1, y1);
    if (y1 <= (1 + 2 * tolerance_) * y0) return upper;
    // Lines that continue the neighbouring spans.
    double lower = 0;
    if (next - marks_.begin() >= 2) {
      const std::int64_t before = *(next - 2);
      lower = std::max(lower, chord(x, static_cast<double>(before), time(before), x0, y0));
    }
    if (next + 1 != marks_.end()) {
      const std::int64_t after = *(next + 1);
      lower = std::max(lower, chord(x, x1, y1, static_cast<double>(after), time(after)));
    }
    if (lower <= 0 || lower >= upper) return upper;
    const double half = (upper - lower) / 2;
    const std::int64_t middle = (*(next - 1) + *next) / 2;
    if (half <= tolerance_ * upper || middle == *(next - 1)) return upper - half;
    marks_.insert(next, middle);
  }
}

}  // namespace ridgepoint::workloads
