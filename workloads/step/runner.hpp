// SPDX-License-Identifier: Apache-2.0
// Runs a step's kernels on the machine. Of kernels with the same key as many launches are simulated
// as the step's time needs (launch_sampling.hpp), and the rest are counted as one of those. Every
// kernel finds the memory in the same state (Machine::reset_memory), counted or simulated: equal
// kernels take equal times up to where their tensors lie. Kernels may be simulated on copies of the
// machine at the same time: what they do is the same.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/soc/machine.hpp"
#include "workloads/step/launch_sampling.hpp"
#include "workloads/step/step.hpp"

namespace ridgepoint::workloads {

// All launches of one kernel name in a step.
struct KernelReport {
  std::string name;
  std::string family;
  std::int64_t launches = 0;
  double flops = 0;        // by definition
  double model_bytes = 0;  // traffic formula; 0 where none is declared
  soc::Activity activity;
};

struct StepReport {
  std::vector<KernelReport> kernels;  // in order of first launch
  soc::Activity total;
  double flops = 0;
  std::int64_t simulated_launches = 0;
  std::int64_t reused_launches = 0;
  double reuse_error = 0;  // standard error of total.cycles by reuse in this step, as a part of it
};

class StepRunner {
 public:
  // `workers`: processes that simulate at the same time.
  StepRunner(soc::Machine& machine, bool reuse, std::size_t workers = 1)
      : machine_(machine), reuse_(reuse), workers_(workers) {}

  // Simulates on the copies what runs of these steps, in this order, will ask for.
  void prepare(std::span<const std::vector<isa::Kernel>> steps);
  // `values`: compute on attached tensors (never reuses).
  // Throws InputError, before anything is simulated, where a kernel has no room on the machine.
  StepReport run(const std::vector<isa::Kernel>& kernels, bool values);
  soc::Machine& machine() { return machine_; }

 private:
  struct Known {
    std::vector<soc::Activity> samples;
    std::int64_t step = 0;  // the first with this kernel; only it adds samples, so that later
                            // steps do not depend on how many there were
  };
  // The kernels that a step is the first to have, and their launches in the order of samples.
  struct Sampling {
    std::vector<Known*> known;
    std::vector<std::vector<const isa::Kernel*>> launches;
    std::vector<Stratum> strata;
  };
  using Kernels = std::vector<const isa::Kernel*>;
  using Activities = std::vector<std::optional<soc::Activity>>;

  Sampling sampling_of(const std::vector<isa::Kernel>& kernels, std::int64_t step);
  Activities on_copies(const Kernels& kernels);
  bool add_samples(std::span<Sampling> samplings, bool on_copies_only);
  Activities simulated_ahead(const std::vector<isa::Kernel>& kernels);
  Activities simulate_all(const std::vector<isa::Kernel>& kernels, bool values);
  Activities sample_all(const std::vector<isa::Kernel>& kernels, StepReport& report);
  soc::Activity simulate(const isa::Kernel& kernel, bool values);
  double ns_of(const soc::Activity& activity) const {
    return static_cast<double>(activity.cycles) * machine_.clock().period_ns();
  }

  soc::Machine& machine_;
  bool reuse_;
  std::size_t workers_;
  std::int64_t step_ = 0;
  std::map<std::string, Known> known_;
};

// Throws InputError where the machine has no room for a kernel of a step that this placement may
// meet: of its prefills and decodes, whatever their number (Machine::require_room).
void require_room(const soc::Machine& machine, const Placement& placement,
                  const StepOptions& options);

}  // namespace ridgepoint::workloads
