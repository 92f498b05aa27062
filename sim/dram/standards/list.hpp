// SPDX-License-Identifier: Apache-2.0
// The one place that lists the standards. A new one adds its file, a line here and a line in
// list.cpp. (A static initialiser in each file would be dropped by the linker from a static
// library, silently.)
#pragma once

#include "sim/dram/standard.hpp"

namespace ridgepoint::dram::standards {

const Standard& ddr5();
const Standard& gddr6();
const Standard& gddr7();
const Standard& hbm2();
const Standard& hbm2e();
const Standard& hbm3();
const Standard& hbm3e();
const Standard& hbm4();
const Standard& lpddr5x();

}  // namespace ridgepoint::dram::standards
