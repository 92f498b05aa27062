// SPDX-License-Identifier: Apache-2.0
// The models known by name: the rows of models.csv, which is compiled in. Shapes are facts from
// public configuration files; each row names its source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

// In the table's order.
const std::vector<ModelShape>& all_models();

// Throws InputError listing every accepted name; `where` and `key` say what asked for it.
const ModelShape& find_model(std::string_view name, const core::Location& where = {},
                             const std::string& key = "model");

// Reads a table in the format of models.csv (columns by header name, blank = none). `file_name` is
// for messages only. Throws InputError naming file, line, column and value; every shape is checked
// with check_shape, names are unique.
std::vector<ModelShape> parse_models(std::string_view text, const std::string& file_name);

}  // namespace ridgepoint::workloads
