// SPDX-License-Identifier: Apache-2.0
// What a sweep runs: a base, axes and conditions, from the command line and a suite file, and the
// points they make. Nothing here runs anything.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/sweep/axis.hpp"
#include "sim/config/read_options.hpp"

namespace ridgepoint::cli {

struct Plan {
  std::string target;                    // the subcommand of a point
  std::vector<config::Assignment> base;  // options that all points share
  std::vector<Axis> axes;                // the last one varies fastest
  std::vector<SkipRule> skips;

  // Options that vary and have no column of their own in the target's table.
  std::vector<config::OptionRef> extra_options() const;
};

// A suite file has [sweep] (of, title), [base] (options), [vary] (axes, in order) and [skip] (named
// rules). Flags of the command line come after the file: a base option there replaces the file's,
// and an axis over the same option replaces that axis. Throws InputError for an option given twice
// in one place, for a flag that an axis of the suite would override, and if nothing varies.
Plan make_plan(const config::Reading& sweep);

struct Point {
  std::size_t index = 0;                // in the whole sweep, whatever the shard
  std::vector<std::string> arguments;   // flags for the target
  std::vector<std::string> axis_cells;  // one per option of all axes
};

// Number of combinations before rules and shards. Throws InputError above kMostPoints.
std::size_t combinations(const Plan& plan);
// All points that no rule leaves out. Throws InputError if none is left.
std::vector<Point> make_points(const Plan& plan);
// The options of one point as its process will see them.
config::Options options_of(const Plan& plan, const Point& point);

struct Shard {
  std::size_t index = 0;  // 0-based
  std::size_t count = 1;
};
Shard parse_shard(const config::Options& options);

}  // namespace ridgepoint::cli
