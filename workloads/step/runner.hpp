// SPDX-License-Identifier: Apache-2.0
// Runs a step's kernels on the machine. A kernel with the same key as one that ran before may be
// counted from that run instead of being simulated again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/soc/machine.hpp"

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

class StepRunner {
 public:
  StepRunner(soc::Machine& machine, bool reuse) : machine_(machine), reuse_(reuse) {}

  // `values`: compute on attached tensors (never reuses).
  StepReport run(const std::vector<isa::Kernel>& kernels, bool values);
  soc::Machine& machine() { return machine_; }

 private:
  soc::Machine& machine_;
  bool reuse_;
  std::map<std::string, soc::Activity> known_;
};

}  // namespace ridgepoint::workloads
