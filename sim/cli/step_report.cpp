// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/step_report.hpp"

#include <cmath>
#include <numeric>

#include "sim/cli/energy_cells.hpp"
#include "sim/cli/line.hpp"
#include "sim/core/error.hpp"

namespace ridgepoint::cli {
namespace {

using core::Traffic;

double of(const dram::ChannelStats::ByTraffic& bytes, Traffic kind) {
  return static_cast<double>(bytes[static_cast<std::size_t>(kind)]);
}

double sum(const dram::ChannelStats::ByTraffic& bytes) {
  return static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}));
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// FLOPs of the kernels whose operand is a weight matrix.
double weight_flops(const workloads::StepReport& report) {
  double flops = 0;
  for (const workloads::KernelReport& kernel : report.kernels) {
    if (kernel.family == "linear") flops += kernel.flops;
  }
  return flops;
}

void check_books(const soc::Machine& machine, const soc::Activity& activity) {
  for (const probe::StallCycles& stalls : activity.stalls) {
    if (stalls.total() != activity.cycles * machine.config().accel.cores) {
      throw core::CheckError("an engine's busy and stall cycles do not sum to the total");
    }
  }
  std::int64_t ticks = activity.hbm.busy_ticks;
  for (const std::int64_t lost : activity.hbm.lost_ticks) ticks += lost;
  if (ticks != activity.hbm.total_ticks) {
    throw core::CheckError("a channel's busy and lost ticks do not sum to the total");
  }
}

void fill_figures(results::Row& row, const soc::Activity& activity, const Figures& f,
                  double flops) {
  row.set("time_ns", f.time_ns)
      .set("cycles", activity.cycles)
      .set("flops", static_cast<std::int64_t>(std::llround(flops)))
      .set("hbm_read_bytes", static_cast<std::int64_t>(f.read_bytes))
      .set("hbm_write_bytes", static_cast<std::int64_t>(f.write_bytes))
      .set("weight_bytes", static_cast<std::int64_t>(f.weight_bytes))
      .set("kv_read_bytes", static_cast<std::int64_t>(f.kv_read_bytes))
      .set("bound", f.bound)
      .set("roofline_ns", f.roofline_ns)
      .set("hbm_bandwidth_ratio", f.hbm_bandwidth_ratio)
      .set("matrix_utilization_ratio", f.matrix_utilization_ratio);
  if (f.read_bytes + f.write_bytes > 0) row.set("flop_per_byte", f.flop_per_byte);
}

}  // namespace

Figures figures_of(const soc::Machine& machine, core::DType dtype, const soc::Activity& activity,
                   double flops) {
  check_books(machine, activity);
  Figures f;
  f.time_ns = static_cast<double>(activity.cycles) * machine.clock().period_ns();
  f.read_bytes = sum(activity.hbm.read_pin_bytes);
  f.write_bytes = sum(activity.hbm.write_pin_bytes);
  f.weight_bytes = of(activity.hbm.read_pin_bytes, Traffic::kWeight);
  f.kv_read_bytes = of(activity.hbm.read_pin_bytes, Traffic::kKv);
  f.activation_bytes = of(activity.hbm.read_pin_bytes, Traffic::kActivation) +
                       of(activity.hbm.write_pin_bytes, Traffic::kActivation);
  const double bytes = f.read_bytes + f.write_bytes;
  const double peak = machine.config().accel.peak_flops(dtype);
  const double bandwidth = machine.hbm_peak_bytes_per_s();
  f.flop_per_byte = ratio(flops, bytes);
  f.compute_ns = flops / peak * 1e9;
  f.bandwidth_ns = bytes / bandwidth * 1e9;
  f.roofline_ns = std::max(f.compute_ns, f.bandwidth_ns);
  f.hbm_bandwidth_ratio = ratio(f.bandwidth_ns, f.time_ns);
  f.matrix_utilization_ratio = ratio(f.compute_ns, f.time_ns);
  f.bound = f.roofline_ns < 0.5 * f.time_ns  ? "latency"
            : f.compute_ns >= f.bandwidth_ns ? "compute"
                                             : "bandwidth";
  if (f.roofline_ns > f.time_ns) {
    throw core::CheckError("a simulated time of " + std::to_string(f.time_ns) +
                           " ns beats its roofline of " + std::to_string(f.roofline_ns) + " ns");
  }
  return f;
}

void fill_step(results::Row& row, const soc::Machine& machine, core::DType dtype,
               const workloads::StepReport& report) {
  const soc::Activity& total = report.total;
  const Figures f = figures_of(machine, dtype, total, report.flops);
  fill_figures(row, total, f, report.flops);
  if (f.weight_bytes > 0) row.set("weight_flop_per_byte", weight_flops(report) / f.weight_bytes);
  row.set("ridge_flop_per_byte",
          machine.config().accel.peak_flops(dtype) / machine.hbm_peak_bytes_per_s())
      .set("hbm_activation_bytes", static_cast<std::int64_t>(f.activation_bytes))
      .set("launches_count", report.simulated_launches + report.reused_launches)
      .set("simulated_launches_count", report.simulated_launches)
      .set("launch_ns", static_cast<double>(total.launch_cycles) * machine.clock().period_ns());
  const probe::StallCycles& matrix = total.stalls[static_cast<std::size_t>(isa::Engine::kMatrix)];
  const auto all = static_cast<double>(matrix.total());
  for (std::size_t i = 0; i < probe::kStalls; ++i) {
    if (static_cast<probe::Stall>(i) == probe::Stall::kBackPressure) continue;  // DMA only
    row.set("matrix_" + std::string(probe::kStallNames[i]) + "_ratio",
            ratio(static_cast<double>(matrix.cycles[i]), all));
  }
  const auto ticks = static_cast<double>(total.hbm.total_ticks);
  row.set("hbm_busy_ratio", ratio(static_cast<double>(total.hbm.busy_ticks), ticks));
  for (std::size_t i = 0; i < dram::kLostReasons; ++i) {
    row.set("hbm_" + std::string(dram::kLostNames[i]) + "_ratio",
            ratio(static_cast<double>(total.hbm.lost_ticks[i]), ticks));
  }
  fill_energy(row, dram::resolve(machine.config().hbm), total.hbm);
}

void fill_kernel(results::Row& row, const soc::Machine& machine, core::DType dtype,
                 const workloads::StepReport& report, const workloads::KernelReport& kernel) {
  const Figures f = figures_of(machine, dtype, kernel.activity, kernel.flops);
  fill_figures(row, kernel.activity, f, kernel.flops);
  row.set("kernel", kernel.name)
      .set("family", kernel.family)
      .set("launches_count", kernel.launches)
      .set("time_ratio", ratio(static_cast<double>(kernel.activity.cycles),
                               static_cast<double>(report.total.cycles)))
      .set("matrix_flops", static_cast<std::int64_t>(std::llround(kernel.activity.matrix_flops)));
  if (kernel.model_bytes > 0) {
    row.set("model_bytes", static_cast<std::int64_t>(std::llround(kernel.model_bytes)));
  }
}

std::string step_text(const soc::Machine& machine, core::DType dtype,
                      const workloads::StepReport& report) {
  std::string text =
      line("%-18s %8s %11s %6s %10s %10s %9s %6s %6s  %s\n", "kernel", "launches", "time us",
           "time", "HBM MB", "GFLOP", "FLOP/byte", "HBM", "matrix", "bound");
  const auto add = [&](const std::string& name, std::int64_t launches,
                       const soc::Activity& activity, double flops) {
    const Figures f = figures_of(machine, dtype, activity, flops);
    text += line(
        "%-18s %8lld %11.2f %5.1f%% %10.3f %10.3f %9.2f %5.1f%% %5.1f%%  %s\n", name.c_str(),
        static_cast<long long>(launches), f.time_ns / 1e3,
        100 * ratio(static_cast<double>(activity.cycles), static_cast<double>(report.total.cycles)),
        (f.read_bytes + f.write_bytes) / 1e6, flops / 1e9, f.flop_per_byte,
        100 * f.hbm_bandwidth_ratio, 100 * f.matrix_utilization_ratio, f.bound.c_str());
  };
  for (const workloads::KernelReport& kernel : report.kernels) {
    add(kernel.name, kernel.launches, kernel.activity, kernel.flops);
  }
  add("step", report.simulated_launches + report.reused_launches, report.total, report.flops);
  const Figures f = figures_of(machine, dtype, report.total, report.flops);
  text += line(
      "weights only: %.2f FLOP/byte; ridge of the machine %.1f FLOP/byte; roofline %.2f us "
      "(%.1f%% of the time)\n",
      ratio(weight_flops(report), f.weight_bytes),
      machine.config().accel.peak_flops(dtype) / machine.hbm_peak_bytes_per_s(),
      f.roofline_ns / 1e3, 100 * ratio(f.roofline_ns, f.time_ns));
  if (report.reused_launches > 0) {
    text += line(
        "%lld launches simulated, %lld counted as one of them: the time's standard error is "
        "%.2f%% (--no-reuse simulates all)\n",
        static_cast<long long>(report.simulated_launches),
        static_cast<long long>(report.reused_launches), 100 * report.reuse_error);
  }
  return text;
}

}  // namespace ridgepoint::cli
