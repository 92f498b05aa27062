// SPDX-License-Identifier: Apache-2.0
// The step times that the options ask for: remembered kernel times, kept in a file if asked, or
// every step simulated.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/cli/serve_setting.hpp"
#include "workloads/serving/grid_step_time.hpp"
#include "workloads/serving/step_cache.hpp"

namespace ridgepoint::cli {

class StepTimes {
 public:
  // `machine` must outlive it.
  StepTimes(const config::Options& options, soc::Machine& machine,
            const workloads::ModelShape& shape, const ServeSetting& setting);

  workloads::StepTimeModel& model();
  // Null when every step is simulated.
  workloads::GridStepTime* grid() { return grid_.get(); }
  workloads::GridStepTime::Error measure_error(const config::Options& options);
  // A line about the file of kernel times; empty if there is none or nothing to say.
  std::string cache_text() const;

 private:
  std::optional<workloads::StepCache> cache_;
  std::unique_ptr<workloads::MachineKernelTimes> kernels_;
  std::unique_ptr<workloads::GridStepTime> grid_;
  std::unique_ptr<workloads::ExactStepTime> exact_;
};

}  // namespace ridgepoint::cli
