// SPDX-License-Identifier: Apache-2.0
#include "kernels/residual/reference.hpp"

#include <cstdint>

#include "kernels/require.hpp"

namespace ridgepoint::kernels {

void residual_reference(std::span<float> x, std::span<const float> y) {
  require_size(y.size(), static_cast<std::int64_t>(x.size()), "residual: y");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

}  // namespace ridgepoint::kernels
