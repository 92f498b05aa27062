// SPDX-License-Identifier: Apache-2.0
// From what the process of a point left to the row of that point.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/child.hpp"
#include "sim/cli/sweep/points.hpp"

namespace ridgepoint::cli {

// Provenance, "point", the axes without a column of their own, the target's columns, closing.
std::vector<std::string> sweep_header(const Plan& plan);

// A process that did not leave exactly one row gives a row with `status` (check, input, simulation,
// crash, timeout) and `message`, its last line on standard error.
std::vector<std::string> row_of(const Plan& plan, const Point& point, const Finished& finished);

// Writes the point's number into a finished row: it moves when a sweep grows.
void set_point(std::vector<std::string>& row, std::size_t index);

}  // namespace ridgepoint::cli
