// SPDX-License-Identifier: Apache-2.0
// Step times from remembered kernel times. A step is split into the linear part, the decode
// attention of its one-token sequences and the prefill attention of each longer one; each part is
// asked from the machine only at the points of a grid, when first needed, and interpolated between
// them. The interpolation error is measured against fresh machine runs, never assumed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "workloads/serving/step_time.hpp"
#include "workloads/traces/distribution.hpp"

namespace ridgepoint::workloads {

// Whole-model kernel times (all layers), as the machine gives them.
class KernelTimes {
 public:
  virtual ~KernelTimes() = default;
  // Everything but attention for `tokens` rows, the LM head for `sampled` <= tokens of them.
  virtual core::Femtoseconds linear_part(std::int64_t tokens, std::int64_t sampled) = 0;
  // One new token each for `batch` sequences that attend to `context` tokens (their own included).
  virtual core::Femtoseconds decode_attention(std::int64_t batch, std::int64_t context) = 0;
  // `new_tokens` of one sequence behind `context` cached tokens.
  virtual core::Femtoseconds prefill_attention(std::int64_t new_tokens, std::int64_t context) = 0;
  // decode_attention for unequal contexts, where the machine can run it: only to measure what
  // replacing them by their mean costs.
  virtual std::optional<core::Femtoseconds> mixed_decode_attention(std::span<const std::int64_t>) {
    return std::nullopt;
  }
};

struct GridOptions {
  // A span of a one-dimensional grid is halved until its middle is predicted this well.
  double tolerance = 0.015;
  // Points of the two-dimensional grids per doubling of each axis.
  int points_per_octave = 1;
  // Decode attention over more tokens than this (batch times context) is continued along the batch
  // with the slope between the two largest batches below: it streams the cache by then.
  std::int64_t largest_decode_tokens = 65'536;
};

// The largest argument a grid may ask its source for, when it is itself asked for at most x.
std::int64_t grid_ceiling(std::int64_t x);

// t(x) on integers, piecewise linear between points that are added where the machine bends.
class AdaptiveGrid {
 public:
  using Source = std::function<core::Femtoseconds(std::int64_t)>;
  AdaptiveGrid(Source source, double tolerance)
      : source_(std::move(source)), tolerance_(tolerance) {}
  double at(std::int64_t x);  // fs; x >= 1
  std::size_t points() const { return points_.size(); }

 private:
  struct Point {
    double time = 0;
    bool settled = false;  // the span from here to the next point is good enough
  };
  using Points = std::map<std::int64_t, Point>;
  Points::iterator point(std::int64_t x);
  Source source_;
  double tolerance_;
  Points points_;
};

// t(x, y) on integers >= 0, bilinear between geometrically spaced points. `work` is a quantity that
// time follows closely in x at a fixed y (for example rows times mean context): the interpolation
// along x is linear in it.
class ProductGrid {
 public:
  using Source = std::function<core::Femtoseconds(std::int64_t, std::int64_t)>;
  using Work = double (*)(double x, double y);
  ProductGrid(Source source, Work work, int points_per_octave)
      : source_(std::move(source)), work_(work), per_octave_(points_per_octave) {}
  double at(double x, double y);  // fs
  std::size_t points() const { return points_.size(); }

 private:
  double time(std::int64_t x, std::int64_t y);
  double along_x(double x, std::int64_t y);
  std::pair<std::int64_t, std::int64_t> around(double value) const;
  Source source_;
  Work work_;
  int per_octave_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> points_;
};

class GridStepTime final : public StepTimeModel {
 public:
  GridStepTime(KernelTimes& machine, const GridOptions& options = {});

  core::Femtoseconds step_time(const StepBatch& batch) override;

  // How far the grid is from the machine: up to `points` of the shapes asked for are drawn (seeded)
  // and run fresh. Ratios are |grid/machine - 1|, over the three kinds together.
  struct Error {
    std::int64_t points = 0;
    double median_ratio = 0;
    double worst_ratio = 0;
    std::int64_t mixed_points = 0;  // decode batches with the unequal contexts of this run
    double mixed_worst_ratio = 0;
  };
  Error measure_error(std::int64_t points, std::uint64_t seed);

  std::size_t machine_points() const;  // kernel runs that fill the grid
  std::uint64_t steps() const { return steps_; }

 private:
  enum Kind : std::uint8_t { kLinear, kDecode, kPrefill };
  struct Shape {
    Kind kind;
    std::int64_t first;
    std::int64_t second;
  };
  core::Femtoseconds decode_point(std::int64_t batch, std::int64_t context);
  double predict(const Shape& shape);
  double ask(const Shape& shape);
  void remember(const Shape& shape);

  KernelTimes& machine_;
  GridOptions options_;
  AdaptiveGrid linear_;    // tokens, nothing sampled
  AdaptiveGrid sampling_;  // what sampling so many rows adds
  ProductGrid decode_;
  ProductGrid prefill_;
  std::uint64_t steps_ = 0;
  // A bounded, evenly thinned sample of the shapes asked for.
  static constexpr std::size_t kSample = 4096;
  std::vector<Shape> sample_;
  std::uint64_t asked_ = 0;
  std::uint64_t stride_ = 1;
  std::map<std::pair<std::int64_t, std::int64_t>, core::Femtoseconds> decode_points_;
  std::vector<std::int64_t> contexts_;
  std::vector<std::vector<std::int64_t>> mixed_;  // of decode steps 1, 2, 4, 8, ...
  std::uint64_t decode_steps_ = 0;
};

}  // namespace ridgepoint::workloads
