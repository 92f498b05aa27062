// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/explain.hpp"

#include <algorithm>

#include "sim/cli/line.hpp"
#include "sim/cli/model_options.hpp"
#include "sim/cli/step_report.hpp"
#include "sim/config/bind_machine.hpp"

namespace ridgepoint::cli {
namespace {

using probe::Stall;

constexpr std::size_t kRows = 6;        // kernels shown
constexpr double kWorthNaming = 0.02;   // smallest share of an engine's time that is named
constexpr double kWorthLifting = 1.02;  // smallest speed-up that counts as one
constexpr std::int64_t kPlenty = 64;    // times the on-chip memory there is

struct WhatIf {
  const char* name;
  void (*change)(soc::MachineConfig&);
};

constexpr WhatIf kWhatIfs[] = {
    {"memory bandwidth x2", [](soc::MachineConfig& m) { m.hbm.stacks *= 2; }},
    {"matrix and vector rate x2",
     [](soc::MachineConfig& m) {
       m.accel.matrix_rate *= 2;
       m.accel.vector_lanes *= 2;
       m.accel.special_lanes *= 2;
     }},
    {"on-chip memory without limit",
     [](soc::MachineConfig& m) {
       m.accel.scratchpad_bytes *= kPlenty;
       m.accel.accumulator_bytes *= kPlenty;
       m.accel.shared_bytes = std::max(m.accel.shared_bytes, std::int64_t{1} << 24) * kPlenty;
     }},
    {"no launch cost",
     [](soc::MachineConfig& m) { m.accel.launch_ns = m.accel.attention_setup_ns = 0; }},
};

// As people say it.
std::string words_of(Stall stall) {
  switch (stall) {
    case Stall::kBusy:
      return "at work";
    case Stall::kBackPressure:
      return "wait for a memory port";
    case Stall::kWaitLoad:
      return "wait for loads";
    case Stall::kWaitMatrix:
      return "wait for an earlier product";
    case Stall::kWaitVector:
      return "wait for the vector engine";
    case Stall::kWaitStore:
      return "wait for a store";
    case Stall::kWaitSync:
      return "wait for another core";
    case Stall::kNoCommand:
      return "have nothing to multiply";
    case Stall::kDrain:
      return "wait for the last core";
    case Stall::kLaunch:
      break;
  }
  return "wait for the launch";
}

constexpr const char* kLostWords[dram::kLostReasons] = {
    "no request",         "waits between requests", "refresh",          "opening rows",
    "closing other rows", "activation limits",      "read-write turns", "bank group limits",
    "command bus",        "not attributed"};

void sort_down(StepPicture::Shares& shares) {
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

std::string bar(double share) {
  return std::string(static_cast<std::size_t>(std::max(0.0, share) * 30 + 0.5), '#');
}

// "at work 60 %, wait for loads 38 %"
std::string list_of(const StepPicture::Shares& shares) {
  std::string text;
  for (const auto& [name, share] : shares) {
    if (share < kWorthNaming) continue;
    text += (text.empty() ? "" : ", ") + name + line(" %.0f %%", 100 * share);
  }
  return text;
}

// The first entry that is a loss: not the engine or bus at work.
std::string largest_loss(const StepPicture::Shares& shares, const char* work) {
  for (const auto& [name, share] : shares) {
    if (name != work) return name + line(" (%.0f %%)", 100 * share);
  }
  return {};
}

std::string bound_text(const StepPicture& p) {
  const double bytes = p.weight_bytes + p.kv_bytes + p.activation_bytes;
  std::string text = line(
      "bound by %s: multiplying takes %.4g us at the peak rate, moving the bytes "
      "%.4g us at the peak bandwidth;\n",
      p.bound.c_str(), p.compute_us, p.bandwidth_us);
  text += line(
      "the step takes %.4g us (%.0f %% of it is the larger of the two). Bytes: weights "
      "%.0f %%, cache %.0f %%, activations %.0f %%\n",
      p.time_us, 100 * p.roofline_us / p.time_us, 100 * p.weight_bytes / bytes,
      100 * p.kv_bytes / bytes, 100 * p.activation_bytes / bytes);
  return text;
}

std::string time_text(const StepPicture& p) {
  std::string text = line("\n%-26s %10s %7s\n", "where the time goes", "us", "share");
  double rest = 1;
  for (std::size_t i = 0; i < std::min(kRows, p.kernels.size()); ++i) {
    const auto& [name, share] = p.kernels[i];
    text += line("  %-24s %10.2f %6.1f%%  %s\n", name.c_str(), share * p.time_us, 100 * share,
                 bar(share).c_str());
    rest -= share;
  }
  if (p.kernels.size() > kRows) {
    text += line("  %-24s %10.2f %6.1f%%  %s\n", "all others", rest * p.time_us, 100 * rest,
                 bar(rest).c_str());
  }
  text += "matrix engines: " + list_of(p.matrix) + "\n";
  text += "memory buses:   " + list_of(p.memory) + "\n";
  return text;
}

StepPicture simulate_with(const config::Options& options, const StepRequest& request,
                          const WhatIf& what_if) {
  soc::MachineConfig config = config::machine_config(options);
  what_if.change(config);
  soc::Machine machine(config);
  return picture_of(machine, formats_of(options).activations,
                    simulate_step(options, machine, request));
}

}  // namespace

StepPicture picture_of(const soc::Machine& machine, core::DType dtype,
                       const workloads::StepReport& report) {
  const soc::Activity& total = report.total;
  const Figures f = figures_of(machine, dtype, total, report.flops);
  StepPicture p;
  p.time_us = f.time_ns / 1e3;
  p.roofline_us = f.roofline_ns / 1e3;
  p.bound = f.bound;
  p.compute_us = f.compute_ns / 1e3;
  p.bandwidth_us = f.bandwidth_ns / 1e3;
  p.weight_bytes = f.weight_bytes;
  p.activation_bytes = f.activation_bytes;
  p.kv_bytes = f.read_bytes + f.write_bytes - f.weight_bytes - f.activation_bytes;
  for (const workloads::KernelReport& kernel : report.kernels) {
    p.kernels.emplace_back(kernel.name, static_cast<double>(kernel.activity.cycles) /
                                            static_cast<double>(total.cycles));
  }
  const probe::StallCycles& matrix = total.stalls[static_cast<std::size_t>(isa::Engine::kMatrix)];
  for (std::size_t i = 0; i < probe::kStalls; ++i) {
    p.matrix.emplace_back(words_of(static_cast<Stall>(i)), static_cast<double>(matrix.cycles[i]) /
                                                               static_cast<double>(matrix.total()));
  }
  const auto ticks = static_cast<double>(total.hbm.total_ticks);
  p.memory.emplace_back("data", static_cast<double>(total.hbm.busy_ticks) / ticks);
  for (std::size_t i = 0; i < dram::kLostReasons; ++i) {
    p.memory.emplace_back(kLostWords[i], static_cast<double>(total.hbm.lost_ticks[i]) / ticks);
  }
  for (StepPicture::Shares* shares : {&p.kernels, &p.matrix, &p.memory}) sort_down(*shares);
  return p;
}

std::string explain_text(const config::Options& options, const StepRequest& request,
                         const StepPicture& picture) {
  std::string text =
      line("%s, %s of %lld x %lld tokens on %s\n", options.text("run.model").c_str(),
           options.text("run.phase").c_str(), static_cast<long long>(request.batch),
           static_cast<long long>(request.new_tokens), options.text("machine.name").c_str());
  text += bound_text(picture) + time_text(picture);
  text += line("\n%-30s %10s %7s  %-10s %s\n", "if this were lifted (simulated)", "us", "faster",
               "then bound", "and the matrix engines mostly");
  const WhatIf* best = nullptr;
  StepPicture best_picture;
  for (const WhatIf& what_if : kWhatIfs) {
    const StepPicture then = simulate_with(options, request, what_if);
    text += line("  %-29s %10.2f %6.2fx  %-10s %s\n", what_if.name, then.time_us,
                 picture.time_us / then.time_us, then.bound.c_str(),
                 largest_loss(then.matrix, "at work").c_str());
    if (best != nullptr && then.time_us >= best_picture.time_us) continue;
    best = &what_if;
    best_picture = then;
  }
  if (picture.time_us / best_picture.time_us < kWorthLifting) {
    return text + "none of them alone helps\n";
  }
  text += line("most helps %s; the next bottleneck is then %s: ", best->name,
               best_picture.bound.c_str());
  text += best_picture.kernels.front().first +
          line(" takes %.0f %% of the time, the memory buses lose most to ",
               100 * best_picture.kernels.front().second) +
          largest_loss(best_picture.memory, "data") + "\n";
  return text;
}

}  // namespace ridgepoint::cli
