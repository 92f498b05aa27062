// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/energy_cells.hpp"

namespace ridgepoint::cli {

void fill_energy(results::Row& row, const dram::Spec& spec, const dram::ChannelStats& stats) {
  const dram::Energy energy = dram::energy_of(spec, stats);
  row.set("hbm_energy_pj", energy.total())
      .set("hbm_energy_act_pj", energy.act)
      .set("hbm_energy_read_pj", energy.read)
      .set("hbm_energy_write_pj", energy.write)
      .set("hbm_energy_io_pj", energy.io)
      .set("hbm_energy_refresh_pj", energy.refresh)
      .set("hbm_energy_background_pj", energy.background);
  const std::int64_t bits = stats.pin_bytes() * 8;
  if (bits > 0) row.set("hbm_energy_pj_per_bit", energy.total() / static_cast<double>(bits));
}

}  // namespace ridgepoint::cli
