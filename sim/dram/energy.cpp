// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/energy.hpp"

#include <algorithm>
#include <numeric>

namespace ridgepoint::dram {
namespace {

constexpr double kPjPerNj = 1e3;
constexpr double kWindowNs = 32e6;  // JEDEC: in which every row is refreshed

double bits(const ChannelStats::ByTraffic& bytes) {
  return 8.0 * static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}));
}

double count(const ChannelStats& stats, Command command) {
  return static_cast<double>(stats.commands[static_cast<std::size_t>(command)]);
}

}  // namespace

double rows_per_refresh(const Spec& spec, Command command) {
  const std::string_view round = command == Command::kRefSb ? "tREFI2" : "tREFI";
  const auto& timings = spec.standard->timings;
  const auto found = std::find_if(timings.begin(), timings.end(),
                                  [&](const NamedTiming& one) { return one.name == round; });
  if (found == timings.end()) return 0;
  return static_cast<double>(spec.geometry.rows) * found->ns / kWindowNs;
}

Energy energy_of(const Spec& spec, const ChannelStats& stats) {
  const double reads = bits(stats.read_pin_bytes);
  const double writes = bits(stats.write_pin_bytes);
  Energy energy;
  energy.act = count(stats, Command::kAct) * spec.energy("eACT") * kPjPerNj;
  energy.read = reads * spec.energy("eRD");
  energy.write = writes * spec.energy("eWR");
  energy.io = (reads + writes) * spec.energy("eIO");
  for (const Command command : {Command::kRefAb, Command::kRefPb, Command::kRefSb}) {
    const int banks = spec.geometry.addressed(command, 0).count;
    energy.refresh += count(stats, command) * banks * rows_per_refresh(spec, command) *
                      spec.energy("eREF") * kPjPerNj;
  }
  // total_ticks counts every pseudo-channel; mW x ns = pJ.
  const double channel_ns = static_cast<double>(stats.total_ticks) / spec.geometry.pseudo_channels *
                            spec.tick_clock.period_ns();
  energy.background = spec.energy("pSTANDBY") * channel_ns;
  return energy;
}

}  // namespace ridgepoint::dram
