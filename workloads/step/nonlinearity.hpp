// SPDX-License-Identifier: Apache-2.0
// The kernels' name for a model's activation.
#pragma once

#include "kernels/activation/activation.hpp"
#include "workloads/models/shape.hpp"

namespace ridgepoint::workloads {

kernels::Nonlinearity nonlinearity_of(Activation activation);

}  // namespace ridgepoint::workloads
