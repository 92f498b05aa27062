// SPDX-License-Identifier: Apache-2.0
// Tables side by side: rows with the same key columns are put together, and every number gets its
// ratio to the first table. Nothing is printed here.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ridgepoint::results {

struct CompareRequest {
  std::vector<std::string> paths;    // two or more; the first one is the base
  std::vector<std::string> keys;     // empty: the key columns of the table's kind
  std::vector<std::string> columns;  // empty: every column of numbers that is no key
};

// One number of one key: values as they stand in the files (blank: not there or not measured).
struct Comparison {
  std::vector<std::string> key;
  std::string column;
  std::vector<std::string> values;            // one per file
  std::vector<std::optional<double>> ratios;  // one per file after the first; value / base
};

struct CompareResult {
  std::vector<std::string> key_names;
  std::vector<Comparison> rows;      // in the order of the first file
  std::vector<std::string> missing;  // "B.csv has no row machine=..., model=..."
  // The largest |ratio - 1|; infinite if a number stands on one side only.
  double largest_change = 0;
};

// Throws InputError: fewer than two files, unknown columns, two rows with one key, no key columns.
// Rows whose status is not "ok" count as missing.
CompareResult compare_tables(const CompareRequest& request);

}  // namespace ridgepoint::results
