// SPDX-License-Identifier: Apache-2.0
// Runs a step's kernels on the machine. A kernel with the same key as one that ran before may be
// counted from that run instead of being simulated again; of short ones the first few are simulated
// and the rest take turns in being counted as one of them. Every kernel finds the memory in the
// same state (Machine::reset_memory), counted or simulated: equal kernels take equal times up to
// where their tensors lie. Kernels may be simulated on copies of the machine at the same time: what
// they do is the same.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/soc/machine.hpp"
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
};

// Launches of a kernel of such a time that stand for all its launches in a step.
std::size_t launches_sampled(double ns);

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
    std::int64_t step = 0;  // that simulated them
  };
  using Launch = std::pair<std::string, std::size_t>;  // key, and which launch of it in the step

  bool is_due(const Launch& launch) const;
  std::size_t samples_wanted(const soc::Activity& activity) const;
  const soc::Activity& launch(const isa::Kernel& kernel, bool values,
                              std::map<std::string, std::size_t>& launches, StepReport& report);

  soc::Machine& machine_;
  bool reuse_;
  std::size_t workers_;
  std::int64_t step_ = 0;
  std::map<std::string, Known> known_;
  std::map<Launch, soc::Activity> ahead_;  // simulated on copies
  soc::Activity latest_;
};

// Throws InputError where the machine has no room for a kernel of a step that this placement may
// meet: of its prefills and decodes, whatever their number (Machine::require_room).
void require_room(const soc::Machine& machine, const Placement& placement,
                  const StepOptions& options);

}  // namespace ridgepoint::workloads
