// SPDX-License-Identifier: Apache-2.0
// Which preset a measurement belongs to, and this run's options on it.
#pragma once

#include <string>

#include "sim/config/options.hpp"

namespace ridgepoint::cli {

// Measurements name a product, presets a product and its memory. Empty: there is none.
std::string preset_of(const std::string& machine);

// The options of this run with another machine; flags that change machines stay.
config::Options options_on(const config::Options& options, const std::string& preset);

}  // namespace ridgepoint::cli
