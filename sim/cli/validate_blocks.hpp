// SPDX-License-Identifier: Apache-2.0
// The family kv_blocks of validate: cache blocks that engines logged, beside the arithmetic of
// plan.
#pragma once

#include "sim/cli/validate_report.hpp"

namespace ridgepoint::cli {

// A row for each logged number; says how many name a GPU or a model that has no preset here.
void predict_blocks(const Context& context, results::TableWriter& table,
                    ValidationSummary& summary);

}  // namespace ridgepoint::cli
