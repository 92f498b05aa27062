// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/runner.hpp"

#include <algorithm>
#include <functional>

#include "sim/soc/machine_copies.hpp"

namespace ridgepoint::workloads {

void require_room(const soc::Machine& machine, const Placement& placement,
                  const StepOptions& options) {
  const PlacementSpec& spec = placement.spec();
  std::vector<isa::Kernel> kernels;
  const auto add_step = [&](std::int64_t new_tokens, std::int64_t context) {
    if (new_tokens > spec.max_tokens || context > placement.shape().max_context) return;
    BatchSequence one;
    one.new_tokens = new_tokens;
    one.context = context;
    one.blocks.assign(static_cast<std::size_t>(context / spec.block_tokens + 1), 0);
    const auto step = build_step(machine.config().accel.shape(), placement, {one}, options);
    kernels.insert(kernels.end(), step.begin(), step.end());
  };
  add_step(1, 1);
  add_step(2, 2);
  if (placement.shape().mla) add_step(2, spec.expand_rows + 2);  // in the latent space
  machine.require_room(kernels);
}

soc::Activity StepRunner::simulate(const isa::Kernel& kernel, bool values) {
  machine_.reset_memory();
  return machine_.run(kernel, values);
}

// What copies make of them; nothing where that is not worth it.
StepRunner::Activities StepRunner::on_copies(const Kernels& kernels) {
  double bytes = 0;
  for (const isa::Kernel* kernel : kernels) bytes += soc::simulated_bytes(*kernel);
  if (workers_ < 2 || bytes < soc::kWorthACopy) return Activities(kernels.size());
  return soc::run_on_copies(machine_, kernels, workers_);
}

StepRunner::Sampling StepRunner::sampling_of(const std::vector<isa::Kernel>& kernels,
                                             std::int64_t step) {
  std::map<std::string, Kernels> launches;
  for (const isa::Kernel& kernel : kernels) {
    if (kernel.key.empty()) continue;
    Known& known = known_.try_emplace(kernel.key).first->second;
    // A step that has been run, failed or was left out has claimed it in vain.
    const bool is_run = step == step_;
    if (known.samples.empty() && (is_run || known.step <= step_)) known.step = step;
    if (known.step == step) launches[kernel.key].push_back(&kernel);
  }
  Sampling sampling;
  for (const auto& [key, all] : launches) {
    Known& known = known_.at(key);
    Stratum stratum{all.size(), soc::simulated_bytes(*all.front()), {}};
    for (const soc::Activity& sample : known.samples) {
      stratum.ns.push_back(ns_of(sample));
    }
    Kernels& ordered = sampling.launches.emplace_back();
    for (const std::size_t launch : spread_order(all.size())) ordered.push_back(all[launch]);
    sampling.known.push_back(&known);
    sampling.strata.push_back(std::move(stratum));
  }
  return sampling;
}

// Simulates the launches that are wanted next; false when there are none, or none could be.
bool StepRunner::add_samples(std::span<Sampling> samplings, bool on_copies_only) {
  struct Due {
    Sampling* sampling;
    std::size_t stratum;
  };
  std::vector<Due> due;
  Kernels kernels;
  for (Sampling& sampling : samplings) {
    const std::vector<std::size_t> wanted = launches_wanted(sampling.strata);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (std::size_t at = sampling.strata[i].ns.size(); at < wanted[i]; ++at) {
        due.push_back({&sampling, i});
        kernels.push_back(sampling.launches[i][at]);
      }
    }
  }
  Activities activities = on_copies(kernels);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (!activities[i].has_value()) left.push_back(i);
  }
  if (on_copies_only && !left.empty()) return false;
  // In the order of the step, as a timeline is to show them.
  std::sort(left.begin(), left.end(),
            [&](std::size_t a, std::size_t b) { return std::less<>()(kernels[a], kernels[b]); });
  for (const std::size_t i : left) activities[i] = simulate(*kernels[i], false);
  for (std::size_t i = 0; i < due.size(); ++i) {
    const auto [sampling, stratum] = due[i];
    sampling->strata[stratum].ns.push_back(ns_of(*activities[i]));
    sampling->known[stratum]->samples.push_back(std::move(*activities[i]));
  }
  return !due.empty();
}

void StepRunner::prepare(std::span<const std::vector<isa::Kernel>> steps) {
  if (!reuse_ || workers_ < 2) return;
  std::vector<Sampling> samplings;
  std::int64_t step = step_;
  for (const auto& kernels : steps) samplings.push_back(sampling_of(kernels, ++step));
  while (add_samples(samplings, true)) {
  }
}

// Of each kernel with a key, when none is reused.
StepRunner::Activities StepRunner::simulated_ahead(const std::vector<isa::Kernel>& kernels) {
  Kernels keyed;
  for (const isa::Kernel& kernel : kernels) {
    if (!kernel.key.empty()) keyed.push_back(&kernel);
  }
  Activities found = on_copies(keyed);
  Activities all(kernels.size());
  for (std::size_t i = 0, at = 0; i < kernels.size(); ++i) {
    if (!kernels[i].key.empty()) all[i] = std::move(found[at++]);
  }
  return all;
}

// Without reuse: every kernel's own.
StepRunner::Activities StepRunner::simulate_all(const std::vector<isa::Kernel>& kernels,
                                                bool values) {
  Activities all = values ? Activities(kernels.size()) : simulated_ahead(kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!all[i].has_value()) all[i] = simulate(kernels[i], values);
  }
  return all;
}

// With reuse: the samples take turns in being counted.
StepRunner::Activities StepRunner::sample_all(const std::vector<isa::Kernel>& kernels,
                                              StepReport& report) {
  Sampling sampling = sampling_of(kernels, step_);
  while (add_samples({&sampling, 1}, false)) {
  }
  report.reuse_error = sampling_error(sampling.strata);
  report.reused_launches = static_cast<std::int64_t>(kernels.size());
  for (const Stratum& stratum : sampling.strata) {
    report.reused_launches -= static_cast<std::int64_t>(stratum.ns.size());
  }
  Activities all(kernels.size());
  std::map<std::string, std::size_t> launches;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string& key = kernels[i].key;
    if (key.empty()) {
      all[i] = simulate(kernels[i], false);
      --report.reused_launches;
      continue;
    }
    const std::vector<soc::Activity>& samples = known_.at(key).samples;
    all[i] = samples[launches[key]++ % samples.size()];
  }
  return all;
}

StepReport StepRunner::run(const std::vector<isa::Kernel>& kernels, bool values) {
  machine_.require_room(kernels);
  StepReport report;
  ++step_;
  const Activities activities =
      reuse_ && !values ? sample_all(kernels, report) : simulate_all(kernels, values);
  report.simulated_launches = static_cast<std::int64_t>(kernels.size()) - report.reused_launches;
  std::map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const isa::Kernel& kernel = kernels[i];
    const auto [entry, is_new] = rows.emplace(kernel.name, report.kernels.size());
    if (is_new) report.kernels.push_back({kernel.name, kernel.family, 0, 0, 0, {}});
    KernelReport& row = report.kernels[entry->second];
    ++row.launches;
    row.flops += kernel.flops;
    row.model_bytes += kernel.model_bytes;
    row.activity += *activities[i];
    report.total += *activities[i];
    report.flops += kernel.flops;
  }
  return report;
}

}  // namespace ridgepoint::workloads
