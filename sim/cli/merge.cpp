// SPDX-License-Identifier: Apache-2.0
// `merge`: the shards of a sweep become the file that the whole sweep would have written.
#include <algorithm>
#include <map>
#include <set>

#include "results/csv_reader.hpp"
#include "sim/cli/commands.hpp"

namespace ridgepoint::cli {
namespace {

using Cells = std::vector<std::string>;

struct Merged {
  Cells header;
  std::map<std::string, Cells> by_sha256;
  std::vector<std::pair<std::int64_t, std::string>> order;  // point number, config_sha256
  std::set<std::int64_t> points;
};

void add_row(Merged& merged, const results::CsvReader& reader, const std::string& path) {
  const std::string sha256 = reader.text("config_sha256");
  Cells row = reader.texts();
  const auto [old, fresh] = merged.by_sha256.emplace(sha256, row);
  if (fresh) {
    const auto point = reader.has_column("point") ? reader.integer("point") : std::nullopt;
    const auto next = static_cast<std::int64_t>(merged.order.size());
    if (point && !merged.points.insert(*point).second) {
      core::fail_input({path, reader.line(), 0}, "point", std::to_string(*point),
                       "is another configuration in an earlier row", "shards of one sweep");
    }
    merged.order.emplace_back(point.value_or(next), sha256);
    return;
  }
  const std::size_t status = reader.column("status");
  if (old->second == row || row[status] != "ok") return;  // a failed row gives way to a good one
  if (old->second[status] != "ok") {
    old->second = std::move(row);
    return;
  }
  core::fail_input({path, reader.line(), 0}, "config_sha256", sha256,
                   "has another row in an earlier file", "equal rows, or each point in one file");
}

void add_file(Merged& merged, const std::string& path) {
  results::CsvReader reader(path);
  if (merged.header.empty()) {
    merged.header = reader.header();
  } else if (merged.header != reader.header()) {
    core::fail_input({path, 1, 0}, "", "", "has another header than the first file",
                     "shards of one sweep");
  }
  while (reader.next()) add_row(merged, reader, path);
}

}  // namespace

int merge_command(const Context& context) {
  if (context.arguments.empty()) {
    core::fail_input({}, "merge", "", "needs files", "A.csv B.csv ...");
  }
  Merged merged;
  for (const std::string& path : context.arguments) add_file(merged, path);
  std::stable_sort(merged.order.begin(), merged.order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  results::TableWriter writer(merged.header, context.options.text("general.csv"), context.out);
  for (const auto& [point, sha256] : merged.order) writer.add(merged.by_sha256.at(sha256));
  writer.finish();
  return 0;
}

}  // namespace ridgepoint::cli
