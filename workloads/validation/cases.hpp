// SPDX-License-Identifier: Apache-2.0
// A measured case as kernels of this project, so that it can be simulated: the same kernels, tiles
// and plans that steps of a model use, with nothing fitted to a case.
#pragma once

#include <memory>
#include <vector>

#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"
#include "workloads/validation/measured.hpp"

namespace ridgepoint::workloads {

// Kernels in launch order. They share ownership of their block tables.
// GEMM: one. Linear layer: QKV, output, gate and up, down projections of the model. Attention: the
// attention kernel alone over 16-token blocks in seeded random order, splits allowed; the append of
// new keys and values is not in it: an assumption, made because H100's prefill times leave no room
// for it; A100's would.
// Throws InputError at the row's place if its model is unknown or the case does not fit
// `memory_bytes`.
std::vector<isa::Kernel> measured_case(const isa::CoreShape& shape, const MeasuredRow& row,
                                       std::uint64_t memory_bytes);

// What the case must do whatever machine runs it.
struct CaseWork {
  double flops = 0;
  double bytes = 0;         // each operand once
  double weight_bytes = 0;  // of the largest weight matrix; 0 in attention
};
CaseWork measured_work(const MeasuredRow& row);

// Whether a repeated launch finds the case in a cache of `cached_bytes` (0: no cache). Attention
// was measured again and again on the same keys, GEMM on several weights in turn. Such caches have
// two halves: every second reader has a line from the other one and keeps it in its own, too.
bool stays_cached(const MeasuredRow& row, std::int64_t cached_bytes);

// "m<=64", "m>64", "in-cache" (the weights fit `shared_bytes`, where repeated launches may keep
// them), "long", "short": the sizes that are summed up together.
std::string size_class_of(const MeasuredRow& row, std::int64_t shared_bytes);

}  // namespace ridgepoint::workloads
