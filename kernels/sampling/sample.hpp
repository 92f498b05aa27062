// SPDX-License-Identifier: Apache-2.0
// Reads the logits of every sampled row on the machine and writes one token id per row. How a token
// is chosen is the caller's (greedy, temperature, top-p): the traffic is the same.
#pragma once

#include <functional>
#include <string>

#include "kernels/tensor.hpp"
#include "sim/isa/core_shape.hpp"
#include "sim/isa/kernel.hpp"

namespace ridgepoint::kernels {

struct SampleArgs {
  Tensor logits;  // [R, vocab] fp32
  Tensor chosen;  // [R, 1] fp32 slots of 4 bytes in HBM
  // Called once per row, only with values attached.
  std::function<void(std::int64_t row, const float* logits)> choose;
};

isa::Kernel sample(const isa::CoreShape& shape, const SampleArgs& args, const std::string& name);

}  // namespace ridgepoint::kernels
