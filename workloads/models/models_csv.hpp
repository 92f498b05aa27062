// SPDX-License-Identifier: Apache-2.0
// The text of models.csv as compiled in. Only registry.cpp reads it.
#pragma once

#include <string_view>

namespace ridgepoint::workloads {

extern const std::string_view kModelsCsv;

}  // namespace ridgepoint::workloads
