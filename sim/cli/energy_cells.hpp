// SPDX-License-Identifier: Apache-2.0
// The energy columns that `dram` and `run` rows share.
#pragma once

#include "results/row.hpp"
#include "sim/dram/energy.hpp"

namespace ridgepoint::cli {

void fill_energy(results::Row& row, const dram::Spec& spec, const dram::ChannelStats& stats);

}  // namespace ridgepoint::cli
