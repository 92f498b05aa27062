// SPDX-License-Identifier: Apache-2.0
// Ring depths of the linear kernel, shared by its tiling rule and its program.
#pragma once

#include <cstdint>

namespace ridgepoint::kernels {

inline constexpr std::int64_t kWeightSlots = 4;
inline constexpr std::int64_t kActivationSlots = 3;
inline constexpr std::int64_t kStageSlots = 2;
inline constexpr std::int64_t kResidualSlots = 2;
inline constexpr std::int64_t kEpilogueChunks = 4;  // row chunks a residual is added in

}  // namespace ridgepoint::kernels
