// SPDX-License-Identifier: Apache-2.0
// Plain reference of the residual connection.
#pragma once

#include <span>

namespace ridgepoint::kernels {

// x += y, element by element; both [M, d].
void residual_reference(std::span<float> x, std::span<const float> y);

}  // namespace ridgepoint::kernels
