// SPDX-License-Identifier: Apache-2.0
// What a matrix command does to values.
#pragma once

#include "sim/isa/command.hpp"

namespace ridgepoint::accel {

// acc[m, n] (+)= sum over k of a[m, k] * b, in fp32. Every output is the left fold over ascending
// k, whatever m, n and the tiling are: this is what makes cached and uncached decoding bit-equal.
void multiply(const isa::MatrixOp& op);

}  // namespace ridgepoint::accel
