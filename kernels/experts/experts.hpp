// SPDX-License-Identifier: Apache-2.0
// The two ends of a mixture of experts: the choice of experts from the router's logits, and the
// weighted sum of what they gave. Between them the experts' matrices are grouped linear layers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/experts/routing.hpp"
#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

// The `active` largest logits of each token (ties: the lower number), weighted by their softmax.
struct TopKArgs {
  Tensor logits;                     // [T, experts]
  Tensor gates;                      // [T, active] fp32
  std::shared_ptr<Routing> routing;  // filled and sorted when values are attached
};
isa::Kernel top_k(const isa::CoreShape& shape, const TopKArgs& args, const std::string& name);

// x[t] += sum over j of gate[t, j] * y[entry of (t, j)], j upwards in fp32.
struct CombineArgs {
  Tensor y;      // [T * active, d]
  Tensor gates;  // [T, active] fp32
  Tensor x;      // [T, d]
  std::shared_ptr<const Routing> routing;
};
isa::Kernel combine(const isa::CoreShape& shape, const CombineArgs& args, const std::string& name);

}  // namespace ridgepoint::kernels
