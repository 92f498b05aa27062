// SPDX-License-Identifier: Apache-2.0
// Step times from remembered kernel times: the linear part by its rows, sampling by its rows,
// attention by the whole batch. Each is asked from the machine only where needed, when first
// needed. How far that is from the machine is measured on whole steps of the run, never assumed.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/attention_times.hpp"
#include "workloads/serving/kernel_times.hpp"
#include "workloads/serving/linear_times.hpp"
#include "workloads/serving/step_time.hpp"

namespace ridgepoint::workloads {

struct GridOptions {
  // Where two bounds of a time leave more doubt than this, the machine is asked.
  double tolerance = 0.06;
  AttentionOptions attention;
};

class GridStepTime final : public StepTimeModel {
 public:
  explicit GridStepTime(KernelTimes& machine, const GridOptions& options = {});

  core::Femtoseconds step_time(const StepBatch& batch) override;

  // How far the grid is from the machine: up to `steps` of the steps timed so far are drawn
  // (seeded) and run fresh, each as it is launched. Ratios are |grid/machine - 1| of whole steps,
  // and of their attention alone.
  struct Error {
    std::int64_t points = 0;
    double median_ratio = 0;
    double worst_ratio = 0;
    double attention_worst_ratio = 0;
  };
  Error measure_error(std::int64_t steps, std::uint64_t seed);

  std::size_t machine_points() const;  // shapes the machine was asked for to fill the grid
  std::uint64_t steps() const { return steps_; }

 private:
  struct Step {
    std::int64_t rows = 0;
    std::int64_t sampled = 0;
    std::vector<AttendingSequence> batch;
  };
  // Asks the machine for all that steps of up to so many rows need, at once.
  void prepare(std::int64_t rows, std::int64_t sampled);
  double predict_rows(std::int64_t rows, std::int64_t sampled);
  void remember(const StepBatch& batch);

  KernelTimes& machine_;
  LinearTimes linear_;
  LinearTimes sampling_;
  AttentionTimes attention_;
  std::uint64_t steps_ = 0;
  std::vector<AttendingSequence> batch_;
  std::int64_t prepared_rows_ = 0;
  std::int64_t prepared_sampled_ = 0;
  // An evenly thinned sample of the steps.
  static constexpr std::size_t kSample = 512;
  std::vector<Step> sample_;
  std::uint64_t stride_ = 1;
};

}  // namespace ridgepoint::workloads
