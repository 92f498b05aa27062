// SPDX-License-Identifier: Apache-2.0
// The one place that lists the standards. A new one adds its file, a line here and a line in
// list.cpp. (A static initialiser in each file would be dropped by the linker from a static
// library, silently.)
#pragma once

#include "sim/dram/standard.hpp"

namespace ridgepoint::dram::standards {

const Standard& hbm2();
const Standard& hbm3();

}  // namespace ridgepoint::dram::standards
